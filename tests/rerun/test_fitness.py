"""Whether a recipe can be trained here as it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.errors import ConfigError, UsageError
from samerun.rerun.fitness import fitness

RECIPE = "trainer: supervised\nsteps: 3\ntask: {kind: digits}\nmodel: {kind: mlp}\n"


def test_a_recipe_that_fits_is_said_to_and_without_one_nothing_is_said() -> None:
    (line,) = fitness("digits")
    assert (line.topic, line.state) == ("recipe", "ok") and "tier exact on cpu with 1 thread" in line.text
    assert fitness(None) == []


def test_a_device_that_is_not_here_is_missing(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    (tmp_path / "gpu.yaml").write_text(RECIPE + "device: cuda\n")
    (line,) = fitness(str(tmp_path / "gpu.yaml"))
    assert line.state == "missing" and "cuda" in line.text and "do:" in line.text


def test_a_script_and_an_unknown_recipe_are_refused(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    with pytest.raises(UsageError) as caught:
        fitness(str(tmp_path / "train.py"))
    assert caught.value.code == "SR-PRICE-001"
    with pytest.raises(ConfigError):
        fitness("nosuch")
