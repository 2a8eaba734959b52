"""One run as a plain value."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samerun.base.sealed import write_sealed
from samerun.checkpoint.write import write_checkpoint
from samerun.errors import DamageError, NoMatchError
from samerun.record import layout
from samerun.record.manifest import Checked, Entry, Manifest, Parent, Status, write_manifest
from samerun.record.marks import Marks, write_marks
from samerun.record.show import show, size_of
from samerun.state.tree import pack

NOW = "2026-01-01T00:00:00Z"
MANIFEST = Manifest("tiny", "0123abcd" * 2, "0123abcd" * 2, Entry("script", ("--lr", "1"), "train.py"), NOW, NOW)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny-0123abcd"
    folder.mkdir()
    write_manifest(folder, replace(MANIFEST, status=Status.STOPPED, step=4, steps=9, best={"step": 4, "value": 0.5}))
    for step in (0, 4):
        tree = {"weight": np.arange(100.0) + step}
        write_checkpoint(folder / layout.CHECKPOINTS, step, {"model": pack(tree)}, identity=MANIFEST.identity)
    return folder


def test_what_the_manifest_holds_is_shown(folder: Path) -> None:
    shown = show(folder)
    assert (shown.name, shown.status, shown.step, shown.steps) == ("tiny", "stopped", 4, 9)
    assert shown.entry.argv == ("--lr", "1")
    assert not shown.is_live


def test_a_killed_run_is_shown_at_its_newest_checkpoint(folder: Path) -> None:
    write_manifest(folder, replace(MANIFEST, status=Status.RUNNING))
    assert (show(folder).status, show(folder).step) == ("interrupted", 4)


def test_checkpoints_say_what_keeps_them(folder: Path) -> None:
    write_marks(folder, Marks().with_pin(0))
    marks = [(one.step, one.is_pinned, one.is_best, one.size_bytes > 800) for one in show(folder).checkpoints]
    assert marks == [(0, True, False, True), (4, False, True, True)]


def test_the_sizes_add_up_to_what_lies_on_disk(folder: Path) -> None:
    (folder / layout.ATTEMPTS).mkdir()
    (folder / layout.ATTEMPTS / "rows").write_bytes(b"x" * 1000)
    (folder / "metrics.jsonl").write_bytes(b"y" * 300)
    disk = show(folder).disk
    assert (disk.attempts_bytes, disk.logs_bytes) == (1000, 300)
    assert disk.checkpoints_bytes == sum(one.size_bytes for one in show(folder).checkpoints)
    assert disk.total_bytes == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_the_last_verification_and_evaluations_are_named(folder: Path) -> None:
    document: dict[str, Any] = {"verdict": "same", "checks": [{"name": "files", "verdict": "same"}]}
    write_sealed(folder / layout.VERIFICATION, document)
    (folder / layout.EVALUATIONS).mkdir()
    (folder / layout.EVALUATIONS / "test.json").touch()
    shown = show(folder)
    unknown = {"date": None, "steps": None, "since": None}
    assert shown.verification == {"verdict": "same", "checks": {"files": "same"}, **unknown}
    assert shown.evaluations == ("test",)


def proved(step: int, **facts: Any) -> dict[str, Any]:
    run = {"identity": MANIFEST.identity, "step": step, "state_digest": None, "logs": {}, **facts}
    checks = [{"name": "repeat", "verdict": "same"}]
    return {"verdict": "same", "checks": checks, "date": NOW, "steps": step, "run": run}


@pytest.mark.parametrize(
    ("document", "since"),
    [
        (proved(4), None),
        (proved(2), "the run has gone on since, from step 2 to step 4"),
        (proved(4, identity="f" * 16), "the record is not the one that was proved"),
        (proved(9), "the record is not the one that was proved"),
    ],
)
def test_a_proof_says_what_has_become_of_the_run_since(
    folder: Path, document: dict[str, Any], since: str | None
) -> None:
    write_sealed(folder / layout.VERIFICATION, document)
    shown = show(folder).verification
    assert shown is not None
    assert (shown["date"], shown["steps"], shown["since"]) == (NOW, document["steps"], since)


def test_a_fork_and_its_checks_are_told(folder: Path) -> None:
    parent = Parent("other-0123abcd", "0123abcd" * 2, 3, "xxh3:0")
    write_manifest(folder, replace(MANIFEST, parent=parent, checked=Checked(4, 4)))
    assert (show(folder).parent, show(folder).checked) == (parent, Checked(4, 4))


def test_a_run_that_is_not_there_is_no_match(tmp_path: Path) -> None:
    with pytest.raises(NoMatchError):
        show("gone", tmp_path)


def test_a_damaged_manifest_is_damage(folder: Path) -> None:
    (folder / layout.MANIFEST).write_bytes((folder / layout.MANIFEST).read_bytes()[:-9])
    with pytest.raises(DamageError):
        show(folder)


def test_the_size_of_what_vanished_is_nothing(tmp_path: Path) -> None:
    assert size_of(tmp_path / "gone") == 0
