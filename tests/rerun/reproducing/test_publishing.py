"""A finished reproduction appears at once under its name, with its answer and without the place that it lies in."""

from __future__ import annotations

from pathlib import Path

from samerun.base.sealed import read_sealed
from samerun.rerun.reproducing.answer import Reproduction
from samerun.rerun.reproducing.publishing import REPRODUCTION, publish


def test_the_folder_appears_with_its_answer_and_tells_no_place(tmp_path: Path) -> None:
    work, target = tmp_path / ".out.tmp", tmp_path / "out"
    work.mkdir()
    (work / "made").touch()
    answer = publish(Reproduction("tiny", "same", "the same", work, "made", "present", (), ()), work, target)
    assert answer.folder == target and not work.exists() and (target / "made").exists()
    document = read_sealed(target / REPRODUCTION)
    assert document["verdict"] == "same" and str(tmp_path) not in str(document)
