"""Promise 1: two fresh processes give equal metrics, trail and checkpoints, bit for bit."""

from pathlib import Path

import pytest
from promise_lab import Lab


@pytest.mark.parametrize("loop", ["plain", "epochs", "window"])
def test_two_fresh_processes_in_other_surroundings(here: Lab, elsewhere: Lab, tmp_path: Path, loop: str) -> None:
    assert here.done(loop, tmp_path / "a") == elsewhere.done(loop, tmp_path / "b")


def test_another_setting_gives_another_run(here: Lab, tmp_path: Path) -> None:
    first, second = here.done("plain", tmp_path / "a"), here.done("plain", tmp_path / "b", lr=0.02)
    assert first["identity"] != second["identity"] and first["leaves"] != second["leaves"]


def test_an_equal_run_in_another_place_under_another_name_has_the_same_identity(here: Lab, tmp_path: Path) -> None:
    first, second = here.done("plain", tmp_path / "a"), here.done("plain", tmp_path / "b", name="other")
    assert first == second
