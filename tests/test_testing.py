"""The assertions that users write into their own suites, on loops that keep their word and loops that do not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from samerun.errors import MissingError, UsageError
from samerun.judge.untracked import Untracked
from samerun.testing import (
    UNINTERRUPTED,
    Wish,
    _target,
    _Template,
    _walks,
    assert_resumes_exactly,
    assert_same_run,
    find_untracked_state,
)

sys.path.insert(0, str(Path(__file__).parent))
import untracked_loops as loops


def train(forget: str = "", steps: int = 3, seed: int = 7) -> None:
    """A loop with momentum, dropout and a number of its own; what `forget` names is not tracked."""
    import torch

    import samerun

    with samerun.start("tiny", config={"width": 3}, seed=seed) as run:
        model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.5), torch.nn.Linear(3, 1))
        optim = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        tracked = {"model": model, "optim": optim}
        run.track(**{name: thing for name, thing in tracked.items() if name != forget})
        for step in run.steps(steps):
            loss = model(torch.rand(4, 3)).square().mean()
            optim.zero_grad()
            loss.backward()
            optim.step()
            run.values["seen"] = run.values.get("seen", 0) + 1
            step.log(loss=loss, seen=run.values["seen"])


def fail() -> None:
    raise ValueError("it cannot train")


def placed(runs: str) -> None:
    """Train where it is told to, as the guide's function does."""
    import torch

    import samerun

    with samerun.start("placed", seed=7, runs=runs) as run:
        model = torch.nn.Linear(2, 1)
        run.track(model=model)
        for step in run.steps(2):
            step.log(loss=model(torch.ones(1, 2)).sum())


def test_a_function_that_wants_arguments_gets_them_or_it_is_said_how(tmp_path: Path) -> None:
    for make, arguments in ((placed, []), (placed, ["a", "b"]), (fail, ["a"])):
        with pytest.raises(UsageError, match="SR-TESTING-004") as caught:
            assert_resumes_exactly(make, arguments)
        assert "arguments=[" in caught.value.do and make.__name__ in caught.value.what
    assert_resumes_exactly(placed, ["anywhere"], folder=tmp_path)
    assert not (Path.cwd() / "anywhere").exists()


def trained(places: list[Path], *arguments: Any) -> list[Path]:
    """Train in each place, in processes of their own, and return the run folders."""
    with _Template(_target(train, arguments), UNINTERRUPTED) as template:
        for place in places:
            template.run(place, None)
    return [next(place.iterdir()) for place in places]


def test_a_loop_that_tracks_everything_resumes_exactly(tmp_path: Path) -> None:
    assert_resumes_exactly(train, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_forgotten_optimizer_is_named_with_the_stop_that_shows_it(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"stopped after step 2 and resumed: .*first difference: step [23]: model"):
        assert_resumes_exactly(train, ["optim"], splits=[2], folder=tmp_path)
    assert list(tmp_path.rglob("manifest.json")) != []


def test_equal_runs_are_the_same_and_others_are_not(tmp_path: Path) -> None:
    a, b = trained([tmp_path / "a", tmp_path / "b"])
    assert_same_run(a, str(b))
    (other,) = trained([tmp_path / "c"], "", 3, 8)
    with pytest.raises(AssertionError, match="different; first difference: step 0"):
        assert_same_run(a, other)


def test_a_function_that_cannot_be_imported_is_refused() -> None:
    def inner() -> None: ...

    for make in (inner, lambda: None):
        with pytest.raises(UsageError, match="SR-TESTING-001"):
            assert_resumes_exactly(make)


def test_a_function_that_fails_by_itself_is_said_to(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="SR-TESTING-002") as failure:
        assert_resumes_exactly(fail, folder=tmp_path)
    assert "it cannot train" in " ".join(failure.value.evidence)


@pytest.fixture(scope="module")
def found_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], list[Untracked]]]:
    """Give what is found in a loop of untracked_loops.py, by its name there; each is run once."""
    place, known = tmp_path_factory.mktemp("untracked"), dict[str, list[Untracked]]()
    with _Template(_target(loops.by_folder, ()), UNINTERRUPTED) as template:

        def found(case: str) -> list[Untracked]:
            if case not in known:
                steps = {**loops.CLEAN, **loops.CARRYING}[case][2]
                known[case] = _walks(template, place / case, steps)
            return known[case]

        yield found


@pytest.mark.slow
@pytest.mark.parametrize("path", loops.PLANTED)
def test_state_that_no_checkpoint_holds_is_found_by_its_path(path: str, found_in: Any) -> None:
    (one,) = [found for found in found_in("planted") if found.path == path]
    assert (one.kind, one.step) == (loops.PLANTED[path], 0)
    assert one.before != one.after
    assert one.how_to_save


@pytest.mark.slow
def test_nothing_else_is_found_beside_it(found_in: Any) -> None:
    assert sorted(found.path for found in found_in("planted")) == sorted(loops.PLANTED)


@pytest.mark.slow
def test_looking_on_changes_no_number(tmp_path: Path) -> None:
    with _Template(_target(loops.by_folder, ()), UNINTERRUPTED) as template:
        template.run(tmp_path / "window of 2" / "looked-at", 4, Wish(tmp_path / "walk.json", 4))
        template.run(tmp_path / "window of 2" / "alone", 4)
    a, b = (next((tmp_path / "window of 2" / name).glob("window-*")) for name in ("looked-at", "alone"))
    assert_same_run(a, b)


@pytest.mark.slow
@pytest.mark.parametrize("case", loops.CLEAN)
def test_a_loop_that_carries_nothing_gives_no_finding(case: str, found_in: Any) -> None:
    assert found_in(case) == []


@pytest.mark.slow
@pytest.mark.parametrize("what", loops.FORGOTTEN)
def test_what_is_forgotten_and_changes_the_numbers_is_named_alone(what: str, found_in: Any) -> None:
    assert [(found.path, found.kind) for found in found_in(f"forgotten {what}")] == [loops.FORGOTTEN[what]]


@pytest.mark.slow
@pytest.mark.parametrize("case", ["window of 2", "window of 3", "early window", "delayed"])
def test_gradients_that_a_later_step_uses_are_state(case: str, found_in: Any) -> None:
    (one,) = found_in(case)
    assert (one.path, one.kind, one.step, one.before) == ("gradients of model", "gradients", 0, "none")
    assert one.how_to_save == "run.track(gradients=model)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "expected"), [("unclean class", loops.IN_A_CLASS), ("unclean functions", loops.IN_FUNCTIONS)]
)
def test_loops_in_methods_and_functions_are_looked_at(case: str, expected: dict[str, str], found_in: Any) -> None:
    assert {found.path: found.kind for found in found_in(case)} == expected


@pytest.mark.slow
def test_an_iterator_on_the_stack_shows_by_what_it_gives(found_in: Any) -> None:
    (one,) = found_in("unclean zipped")
    assert (one.path, one.kind) == ("what the loop iterates over: 'batch'", "iterator")


SCRIPT = """
import sys

import torch

import samerun

calls = 0


def note():
    global calls
    calls += 1


model = torch.nn.Linear(3, 1)
best = 1e9
with samerun.start("script", seed=7) as run:
    run.track(model=model)
    for step in run.steps(4):
        loss = model(torch.rand(2, 3)).square().mean()
        if sys.argv[1] == "carry":
            best = min(best, loss.item())
            note()
        step.log(loss=loss)
print(best, loss)
"""


@pytest.mark.slow
def test_a_script_is_looked_at_with_its_arguments(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    found = find_untracked_state(script, ["carry"], folder=tmp_path)
    assert [(one.path, one.before, one.after) for one in found if one.kind == "global"] == [
        ("global 'calls' of script", "0", "1")
    ]
    assert [one.path for one in found] == ["loop local 'best'", "global 'calls' of script"]
    assert find_untracked_state(str(script), ["forget"], folder=tmp_path) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["script.py"]


def test_what_cannot_be_looked_at_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="SR-TESTING-001"):
        find_untracked_state(tmp_path / "gone.py")
    with pytest.raises(UsageError, match="SR-TESTING-003"):
        find_untracked_state(train, ["", 1], folder=tmp_path)
