"""What exactness costs here: the shape of the answer. How large the numbers are is no test's business."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.errors import ConfigError, MissingError, UsageError
from samerun.rerun.price import PHASES, WARM_UP, Price, price
from samerun.rerun.variants import COMPARED, VARIANTS

TINY = ["model.hidden=[8]", "batch_size=8"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("priced") / "runs"


@pytest.fixture(scope="module")
def said() -> list[str]:
    return []


@pytest.fixture(scope="module")
def found(place: Path, said: list[str]) -> Price:
    return price("digits", TINY, steps=10, blocks=3, runs=place, say=said.append)


@pytest.mark.slow
def test_every_setting_has_a_ratio_an_interval_and_its_phases(found: Price) -> None:
    document = found.as_json()
    assert (document["recipe"], document["steps"], document["blocks"]) == ("digits", 10 - 1 - WARM_UP, 3)
    assert document["threads"]["exact"] == 1 and document["device"] == "cpu" and len(document["date"]) == 10
    assert list(document["settings"]) == list(COMPARED)
    for cost in document["settings"].values():
        assert list(cost["phases"]) == list(PHASES)
        for one in (cost, *cost["phases"].values()):
            assert 0 < one["low"] <= one["ratio"] <= one["high"]
            assert one["seconds_with"] > 0 and one["seconds_without"] > 0
            assert one["is_noise"] == (one["low"] <= 1 <= one["high"])


@pytest.mark.slow
def test_the_phases_add_up_to_about_the_whole_step(found: Price) -> None:
    step = found.settings["trail"].step.seconds_with
    phases = sum(ratio.seconds_with for ratio in found.settings["trail"].phases.values())
    assert 0.5 * step < phases < 1.5 * step


@pytest.mark.slow
def test_nothing_of_the_runs_is_kept(found: Price, place: Path, said: list[str]) -> None:
    assert not place.exists()
    assert said == [f"block {number} of 3" for number in (1, 2, 3)]


@pytest.mark.slow
def test_a_step_made_twice_learns_longer(found: Price) -> None:
    assert found.settings["recheck"].phases["learn"].ratio > 1.5


@pytest.mark.parametrize(("steps", "blocks"), [(0, 5), (-1, 5), (7, 5), (40, 0), (40, 2)])
def test_too_few_steps_or_blocks_are_refused(steps: int, blocks: int) -> None:
    with pytest.raises(UsageError) as caught:
        price("digits", steps=steps, blocks=blocks)
    assert caught.value.code == "SR-PRICE-002"


def test_a_script_and_an_unknown_recipe_are_refused(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    with pytest.raises(UsageError):
        price(tmp_path / "train.py")
    with pytest.raises(ConfigError):
        price("nosuch")


def test_a_device_that_is_not_here_is_missing_and_leaves_nothing(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(MissingError) as caught:
        price("digits", ["device=cuda"], runs=tmp_path / "runs")
    assert caught.value.code == "SR-TIER-004" and not (tmp_path / "runs").exists()


def test_each_block_runs_each_variant_once_in_an_order_of_its_own() -> None:
    from samerun.streams.source import Streams

    orders = [Streams(seed=0).stream("price", "order", block=block).permutation(len(VARIANTS)) for block in range(4)]
    assert all(sorted(order.tolist()) == list(range(len(VARIANTS))) for order in orders)
    assert len({tuple(order.tolist()) for order in orders}) > 1
