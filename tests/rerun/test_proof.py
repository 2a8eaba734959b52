"""Which checks are made, and what is said of those that cannot be; trainings run as processes in tests/cli."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.errors import DamageError
from samerun.record.manifest import Entry
from samerun.rerun.answer import CheckName, Wanted
from samerun.rerun.proof import Proof


def proof(tmp_path: Path, *names: CheckName, steps: int | None = None) -> Proof:
    return Proof(Wanted(names, steps), tmp_path, lambda text: None)


def test_a_recipe_has_no_files_and_no_record(tmp_path: Path) -> None:
    found = proof(tmp_path, "files", "portable", "here").of_recipe("digits", (), ())
    assert [(check.name, check.verdict) for check in found] == [
        ("files", "cannot_say"),
        ("portable", "cannot_say"),
        ("here", "cannot_say"),
    ]
    assert "has no record" in found[0].detail and "needs tier portable" in found[1].detail


def test_nothing_is_trained_for_a_record_that_is_not_whole(record: Any, tmp_path: Path) -> None:
    made = record()
    (made.folder / "checkpoints/step-00000000/checkpoint.json").unlink()
    found = proof(tmp_path, "files", "repeat", "resume").of_run(made, trust=False)
    assert [check.verdict for check in found] == ["different", "cannot_say", "cannot_say"]
    assert all("the record is not whole" in check.detail for check in found[1:])
    log = made.folder / "metrics.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"train/loss":1', b'"train/loss":2', 1))
    found = proof(tmp_path, "files", "here").of_run(made, trust=False)
    assert [check.verdict for check in found] == ["different", "cannot_say"]


def test_what_is_here_needs_no_snapshot_and_no_checkpoint(record: Any, tmp_path: Path) -> None:
    made = record(Entry("script", (), "gone.py"))
    (made.folder / "source-files.tar").unlink()
    found = proof(tmp_path, "files", "here").of_run(made, trust=False)
    assert [check.verdict for check in found] == ["different", "cannot_say"]
    assert "the script of tiny-0123abcd is not here" in found[1].detail


def test_a_loop_that_only_its_own_program_can_start_cannot_be_proved(record: Any, tmp_path: Path) -> None:
    made = record(Entry("loop"), grade="interactive")
    found = proof(tmp_path, "files", "repeat", "resume", "neutral", "here").of_run(made, trust=False)
    assert [check.verdict for check in found] == ["same", *["cannot_say"] * 4]
    assert all("cannot start again" in check.detail for check in found[1:])


def test_a_trail_that_is_shorter_than_its_metrics_is_not_compared(record: Any, tmp_path: Path) -> None:
    made = record()
    rows = (made.folder / "trail.jsonl").read_bytes().splitlines(keepends=True)
    (made.folder / "trail.jsonl").write_bytes(b"".join(rows[:-1]))
    for name in ("repeat", "resume", "neutral", "here"):
        (check,) = proof(tmp_path, name).of_run(made, trust=False)  # type: ignore[arg-type]
        assert (check.verdict, "5 rows and its metrics 6" in check.detail) == ("cannot_say", True)


def test_rows_that_are_torn_are_damage_and_no_answer(record: Any, tmp_path: Path) -> None:
    made = record()
    log = made.folder / "metrics.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"train/loss":1', b'"train/loss":2', 1))
    for name in ("repeat", "here"):
        with pytest.raises(DamageError):
            proof(tmp_path, name).of_run(made, trust=False)  # type: ignore[arg-type]


def test_a_record_without_steps_is_not_compared(record: Any, tmp_path: Path) -> None:
    (check,) = proof(tmp_path, "repeat").of_run(record(steps=0), trust=False)
    assert (check.verdict, check.detail) == ("cannot_say", "the record holds no step")


def test_settings_that_todays_schema_does_not_take_are_said_to_be(record: Any, tmp_path: Path) -> None:
    made = record(Entry("recipe", (), "a.yaml"))
    (check,) = proof(tmp_path, "here").of_run(made, trust=False)
    assert check.verdict == "cannot_say" and "trainer" in check.detail
