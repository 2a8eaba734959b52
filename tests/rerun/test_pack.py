"""Packing a run in every state that it can be in: whole, closed and free of secrets, or refused; the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.base.digest import sha256, sha256_file
from samerun.base.lock import RunLock
from samerun.base.sealed import write_sealed
from samerun.errors import DamageError, LockedError, NoMatchError, RefusedError, UsageError
from samerun.judge.diff import diff
from samerun.judge.integrity import check_files
from samerun.record import layout
from samerun.record.manifest import Entry, Parent, Segment, Status
from samerun.record.marks import Marks, write_marks
from samerun.record.reader import RunRecord
from samerun.rerun.pack import pack
from samerun.rerun.unpack import unpack

STATES: dict[str, dict[str, Any]] = {
    "stopped": {},
    "completed": {"status": Status.COMPLETED},
    "failed": {"status": Status.FAILED, "reason": "ValueError: no"},
    "killed": {"status": Status.RUNNING},
    "closed before training": {"status": Status.CLOSED_BEFORE_TRAINING, "steps": 0, "checkpoints": ()},
    "forked": {"parent": Parent("other-0123abcd", "0123456789abcdef", 3, "xxh3:0")},
    "drifted": {"segments": (Segment(0, 0, "a", "b"), Segment(1, 3, "c", "d", ("platform.threads",)))},
    "interactive": {"grade": "interactive", "entry": Entry("loop")},
    "external": {"grade": "external"},
}


def everything(made: RunRecord) -> RunRecord:
    """Add what people and later verbs add to a run."""
    folder = made.folder
    write_marks(folder, Marks().with_note("good").with_pin(0))
    write_sealed(folder / layout.DRIFT, {"schema": "samerun.drift", "format": 1, "segments": []})
    write_sealed(folder / layout.VERIFICATION, {"schema": "samerun.verification", "format": 1, "checks": []})
    (folder / layout.EVALUATIONS).mkdir()
    write_sealed(layout.evaluation_file(folder, "test"), {"schema": "samerun.evaluation", "format": 1, "metrics": {}})
    kept = layout.attempt_folder(folder, 2) / layout.kept_name("metrics.jsonl", sha256(b"torn"))
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"torn")
    return RunRecord.open(folder)


@pytest.mark.parametrize("state", STATES)
def test_a_run_in_any_state_is_the_same_run_after_it_was_packed_and_unpacked(
    record: Any, tmp_path: Path, state: str
) -> None:
    made = everything(record(**{"checkpoints": (0, 3, 6), **STATES[state]}))
    packed = pack(made.folder, tmp_path / "a.zip")
    there = RunRecord.open(unpack(packed.file, runs=tmp_path / "elsewhere").run)
    assert check_files(there) == []
    files = {path.relative_to(made.folder).as_posix() for path in made.folder.rglob("*.json*")}
    assert {"marks.json", "drift.json", "evaluations/test.json", "verification.json"} <= files
    for name in files - {"local.json"}:
        if "/step-" not in name:
            assert (there.folder / name).read_bytes() == (made.folder / name).read_bytes()
    assert (there.manifest, there.marks, there.status) == (made.manifest, made.marks, made.status)
    found = diff(made, there)
    assert found.verdict == ("same" if made.manifest.step else "cannot_say"), found.summary


def test_a_bundle_of_an_unpacked_run_is_the_same_bundle(record: Any, tmp_path: Path) -> None:
    made = everything(record(checkpoints=(0, 3, 6)))
    for number, choice in enumerate(("last,best", "all", "none")):
        first = pack(made.folder, tmp_path / f"{number}-a.zip", checkpoints=choice)
        there = unpack(first.file, runs=tmp_path / f"runs-{number}").run
        kept = choice if choice != "last,best" else "last"
        again = pack(there, tmp_path / f"{number}-b.zip", checkpoints=kept)
        assert again.sha256 == first.sha256 == sha256_file(first.file)


def test_checkpoints_that_are_left_out_are_said_and_still_compared(record: Any, tmp_path: Path) -> None:
    made = record(checkpoints=(0, 3, 6))
    packed = pack(made.folder, tmp_path / "a.zip", checkpoints="0")
    assert (packed.checkpoints, packed.without) == ((0,), (3, 6))
    there = unpack(packed.file, runs=tmp_path / "elsewhere").run
    assert diff(made, there).sections["checkpoints"] == diff(there, made).sections["checkpoints"]
    assert not any("has none" in note for note in diff(made, there).notes)


def test_a_completed_run_without_its_last_checkpoint_is_whole_as_a_bundle(record: Any, tmp_path: Path) -> None:
    made = record(checkpoints=(0, 6), status=Status.COMPLETED, state_digest="xxh3:0")
    there = unpack(pack(made.folder, tmp_path / "a.zip", checkpoints="none").file, runs=tmp_path / "elsewhere").run
    assert check_files(RunRecord.open(there)) == []


def test_a_live_run_is_refused(record: Any, tmp_path: Path) -> None:
    made = record()
    lock = RunLock(made.folder / layout.LOCK)
    lock.acquire({})
    try:
        with pytest.raises(LockedError, match="SR-BUNDLE-003"):
            pack(made.folder, tmp_path / "a.zip")
    finally:
        lock.release()


def test_a_damaged_run_is_refused_and_nothing_is_written(record: Any, tmp_path: Path) -> None:
    made = record(checkpoints=(0,))
    path = made.folder / "checkpoints/step-00000000/model.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(DamageError, match="SR-BUNDLE-004") as caught:
        pack(made.folder, tmp_path / "a.zip", checkpoints="none")
    assert "model.safetensors" in str(caught.value) and not (tmp_path / "a.zip").exists()


def test_a_stranger_in_the_folder_stays_and_is_named(record: Any, tmp_path: Path) -> None:
    made = record()
    (made.folder / "notes.txt").write_text("mine")
    packed = pack(made.folder, tmp_path / "a.zip")
    assert packed.left_out == ("notes.txt: no run writes it",)
    assert b"notes.txt" not in packed.file.read_bytes()


def test_a_secret_that_is_left_is_refused(record: Any, tmp_path: Path) -> None:
    made = record(reason="token ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2)
    with pytest.raises(RefusedError, match="SR-BUNDLE-005"):
        pack(made.folder, tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


def test_a_file_that_is_there_is_kept(record: Any, tmp_path: Path) -> None:
    made = record()
    first = pack(made.folder, tmp_path / "a.zip")
    assert pack(made.folder, tmp_path / "a.zip").sha256 == first.sha256
    (tmp_path / "b.zip").write_text("mine")
    with pytest.raises(RefusedError, match="SR-BUNDLE-007"):
        pack(made.folder, tmp_path / "b.zip")
    assert (tmp_path / "b.zip").read_text() == "mine"


def test_a_bundle_lies_beside_its_run_never_in_it(record: Any, tmp_path: Path) -> None:
    made = record()
    for target in (made.folder / "a.zip", tmp_path):
        with pytest.raises(UsageError, match="SR-BUNDLE-009"):
            pack(made.folder, target)
    assert pack(made.folder).file == Path("tiny-0123abcd.samerun.zip")


def test_a_dry_run_says_what_would_be_written_and_writes_nothing(record: Any, tmp_path: Path) -> None:
    made = record(checkpoints=(0, 3))
    dry = pack(made.folder, tmp_path / "a.zip", dry_run=True)
    assert dry.sha256 is None and list(tmp_path.glob("*.zip")) == []
    assert dry.size_bytes == pack(made.folder, tmp_path / "a.zip").file.stat().st_size


def test_a_checkpoint_that_is_not_there_is_no_match(record: Any) -> None:
    with pytest.raises(NoMatchError, match="SR-BUNDLE-002"):
        pack(record(checkpoints=(0,)).folder, checkpoints="4", dry_run=True)


def test_a_run_that_goes_on_while_it_is_packed_is_noticed(record: Any, tmp_path: Path) -> None:
    made = record()

    def go_on(text: str) -> None:
        if text.startswith("packing"):
            with (made.folder / "metrics.jsonl").open("ab") as log:
                log.write(b"more\n")

    with pytest.raises(LockedError, match="SR-BUNDLE-006"):
        pack(made.folder, tmp_path / "a.zip", say=go_on)
    assert list(tmp_path.glob("*.zip")) == []


def test_a_choice_of_data_that_the_run_has_not_is_empty(record: Any, tmp_path: Path) -> None:
    assert pack(record().folder, tmp_path / "a.zip", data=True).data == {}
