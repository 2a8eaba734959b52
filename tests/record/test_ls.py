"""Listing runs from their manifests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samerun.errors import UsageError
from samerun.record import layout
from samerun.record.ls import ls
from samerun.record.manifest import Entry, Manifest, Status, write_manifest
from samerun.record.marks import Marks, write_marks
from samerun.record.resolved import ResolvedConfig, write_config

BLANK = Manifest("", "", "", Entry("recipe"), "", "")


def make(runs: Path, name: str, number: int, **changes: Any) -> Path:
    """Write a run folder of which only the manifest counts; a higher number is a younger run."""
    folder = runs / f"{name}-0123abcd"
    folder.mkdir(parents=True)
    stamp = f"2026-01-01T00:00:{number:02d}Z"
    given = {"name": name, "identity": "0123abcd" * 2, "created": stamp, "updated": stamp, **changes}
    write_manifest(folder, replace(BLANK, **given))
    write_config(folder, ResolvedConfig({"seed": number, "optimizer": {"kind": "adamw"}}, {}, {}, "sha256:0"), None)
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    make(tmp_path, "young", 3, status=Status.COMPLETED, step=10, steps=10, metrics={"train/loss": 0.25})
    make(tmp_path, "old", 1, status=Status.STOPPED, step=4, steps=10, metrics={"train/loss": 0.5})
    make(tmp_path, "killed", 2, status=Status.RUNNING, step=0)
    return tmp_path


def names(runs: Path, **choice: Any) -> list[str]:
    return [row.name for row in ls(runs, **choice)]


def test_the_oldest_run_comes_first(runs: Path) -> None:
    assert names(runs) == ["old", "killed", "young"]


def test_a_run_whose_process_died_is_interrupted(runs: Path) -> None:
    assert [row.status for row in ls(runs)] == ["stopped", "interrupted", "completed"]


def test_a_killed_run_is_listed_and_chosen_by_the_step_of_its_newest_checkpoint(runs: Path) -> None:
    (runs / "killed-0123abcd" / layout.CHECKPOINTS / "step-00000007").mkdir(parents=True)
    assert [row.step for row in ls(runs)] == [4, 7, 10]
    assert names(runs, where="step=7") == ["killed"]


def test_a_status_that_there_is_not_is_refused_with_the_nearest(runs: Path) -> None:
    with pytest.raises(UsageError, match="SR-LS-002") as caught:
        ls(runs, status="complete")
    assert caught.value.do == "samerun ls --status completed"


def test_runs_are_chosen_by_status_tag_and_condition(runs: Path) -> None:
    write_marks(runs / "old-0123abcd", Marks().with_tag("paper"))
    assert names(runs, status="completed") == ["young"]
    assert names(runs, tag="paper") == ["old"]
    assert names(runs, where="train/loss<0.3") == ["young"]
    assert names(runs, where="step>=4 and config.optimizer.kind=adamw") == ["old", "young"]
    assert names(runs, where="config.seed=2") == ["killed"]
    assert names(runs, where="config.gone=2") == []


def test_a_damaged_run_is_listed_with_its_problem_and_hides_no_other(runs: Path) -> None:
    (runs / "old-0123abcd" / layout.MANIFEST).write_bytes(b'{"schema"')
    rows = ls(runs)
    assert [row.status for row in rows] == ["damaged", "interrupted", "completed"]
    assert rows[0].problem
    assert names(runs, status="damaged") == ["old-0123abcd"]
    assert names(runs, where="step>=0") != []


def test_what_is_no_run_is_not_listed(runs: Path) -> None:
    (runs / ".hidden.12-0.tmp").mkdir()
    (runs / "notes.txt").touch()
    (runs / "empty-0123abcd").mkdir()
    assert len(ls(runs)) == 3


def test_a_folder_that_is_not_there_holds_no_runs(tmp_path: Path) -> None:
    assert ls(tmp_path / "gone") == ()


def test_a_condition_that_cannot_be_read_is_refused(runs: Path) -> None:
    with pytest.raises(UsageError, match="SR-LS-001"):
        ls(runs, where="loss")
