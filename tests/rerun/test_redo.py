"""Steps made again in a fresh process: from the nearest checkpoint, with the variables of the record, beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samerun.errors import NoMatchError
from samerun.record.reader import RunRecord
from samerun.rerun.redo import check_happened, names_of, remaking

Faulty = Callable[[str], RunRecord]


def test_a_stretch_is_made_again_and_its_rows_are_those_of_the_record(
    faulty: Faulty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = faulty("none")
    monkeypatch.chdir(made.folder.parent.parent)
    before = {path: path.read_bytes() for path in made.folder.rglob("*") if path.is_file()}
    redone = remaking(made, tmp_path / "work").steps(7, 9)
    assert (redone.begun, redone.trace) == (5, None)
    assert list(redone.record.trail()) == list(made.trail())[:9]
    assert {path: path.read_bytes() for path in made.folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(("first", "until"), [(6, 7), (99, 100), (-1, 1), (3, 3), (4, 8)])
def test_steps_that_never_happened_are_refused(record: Any, first: int, until: int) -> None:
    with pytest.raises(NoMatchError, match="SR-REPLAY-001"):
        check_happened(record(steps=6), first, until)


def test_the_variables_that_choose_kernels_are_those_of_the_record(
    record: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = record(files={"train.py": "import samerun\n"})
    monkeypatch.setenv("MKL_CBWR", "AVX2")
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    made.identity.platform["variables"] = {"MKL_CBWR": "COMPATIBLE"}
    around = remaking(made, tmp_path / "work")._surroundings(0)
    assert around.variables["MKL_CBWR"] == "COMPATIBLE" and around.removed == {"ONEDNN_MAX_CPU_ISA"}


def test_a_stretch_is_spelled_for_people() -> None:
    assert (names_of(range(7, 8)), names_of(range(7, 10))) == ("step 7", "steps 7 to 9")
