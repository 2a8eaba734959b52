"""Records that are odd, half there or damaged: an error in four parts, or `cannot_say` and why; never `same`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samerun.base import files
from samerun.base.lock import RunLock, owner_facts
from samerun.base.sealed import read_sealed, write_sealed
from samerun.cli.main import run
from samerun.errors import DamageError, MissingError, NoMatchError, SamerunError
from samerun.judge.diff import diff
from samerun.record import layout
from samerun.record.manifest import Parent, Status, read_manifest, write_manifest
from samerun.record.reader import RunRecord
from samerun.record.rows import RowLog, end_mark

Make = Callable[..., RunRecord]
TRAIL = layout.log_part_name(layout.TRAIL, 0)


def reopened(record: RunRecord, **fields: Any) -> RunRecord:
    """The record with other fields in its manifest."""
    write_manifest(record.folder, replace(read_manifest(record.folder), **fields))
    return RunRecord.open(record.folder)


def killed(record: RunRecord) -> RunRecord:
    """The record of a process that died: nothing says where its logs end."""
    return reopened(record, status=Status.RUNNING, logs={}, state_digest=None)


def cut(record: RunRecord, log: str, rows: int) -> None:
    path = record.folder / layout.log_part_name(log, 0)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:rows]))


def test_a_folder_given_twice_is_no_comparison(record: Make, tmp_path: Path) -> None:
    one = record()
    link = tmp_path / "link"
    link.symlink_to(one.folder)
    for other in (one.folder, one.folder / ".." / one.folder.name, link):
        verdict = diff(one, other)
        assert verdict.verdict == "cannot_say" and "the same folder" in verdict.summary and verdict.cause is None
        assert verdict.sections["config"] == [] and verdict.sections["trail"] == {}


def test_a_copy_of_a_folder_is_compared(record: Make, tmp_path: Path) -> None:
    one = record()
    shutil.copytree(one.folder, tmp_path / "copy")
    assert diff(one, tmp_path / "copy").is_same


def test_a_run_that_stopped_before_its_first_step_says_nothing(record: Make) -> None:
    verdict = diff(record(steps=0, status=Status.STOPPED), record())
    assert verdict.verdict == "cannot_say" and "no step is recorded on both sides" in verdict.summary
    assert any("a has completed no step (stopped)" in note for note in verdict.notes)


def test_a_trail_that_is_shorter_than_its_metrics_is_damage_in_a_closed_run(record: Make) -> None:
    b = record()
    cut(b, layout.TRAIL, 3)
    with pytest.raises(DamageError, match="SR-RECORD-013"):
        diff(record(), b)


@pytest.mark.parametrize("rows", [0, 3])
def test_a_trail_that_is_shorter_than_its_metrics_is_no_proof_in_a_killed_run(record: Make, rows: int) -> None:
    a, b = killed(record()), record()
    cut(b, layout.TRAIL, rows)
    verdict = diff(a, killed(b))
    assert verdict.verdict == "cannot_say" and f"the trail of b holds {rows} of 6 steps" in verdict.summary


def test_a_kill_between_the_two_rows_of_a_step_leaves_the_others_comparable(record: Make) -> None:
    a, b = killed(record()), killed(record())
    for one in (a, b):
        cut(one, layout.TRAIL, 5)
    assert diff(a, b).is_same


def test_a_closed_run_whose_trail_lacks_a_single_row_is_no_proof(record: Make) -> None:
    def short() -> RunRecord:
        found = record()
        cut(found, layout.TRAIL, 5)
        logs = read_manifest(found.folder).logs
        return reopened(found, logs={**logs, layout.TRAIL: end_mark(found.folder, layout.TRAIL)})

    verdict = diff(short(), short())
    assert verdict.verdict == "cannot_say" and "the trail of a holds 5 of 6 steps" in verdict.summary


def test_a_torn_last_row_is_left_out_where_the_process_died_and_damage_where_the_run_was_closed(record: Make) -> None:
    torn = killed(record())
    path = torn.folder / TRAIL
    path.write_bytes(path.read_bytes()[:-20])
    verdict = diff(record(), torn)
    assert (verdict.verdict, verdict.steps_compared) == ("different", 5)
    assert verdict.first_difference is not None and str(verdict.first_difference).startswith("step 5: the record")
    closed = record()
    with (closed.folder / TRAIL).open("ab") as file:
        file.write(b'{"ambient":"torn')
    with pytest.raises(DamageError, match="SR-RECORD-015"):
        diff(record(), closed)


def test_a_damaged_row_in_the_middle_is_damage_and_names_the_row(record: Make) -> None:
    b = record()
    (b.folder / TRAIL).write_bytes((b.folder / TRAIL).read_bytes().replace(b"xxh3:b3", b"xxh3:b9"))
    with pytest.raises(DamageError, match="SR-RECORD-010") as caught:
        diff(record(), b)
    assert any("row 4" in line for line in caught.value.evidence)


def test_runs_without_any_state_are_not_called_the_same(record: Make) -> None:
    def thin() -> RunRecord:
        found = record(steps=0)
        logs = {name: RowLog.open(found.folder, name, None, 1) for name in (layout.METRICS, layout.TRAIL)}
        for step in range(3):
            logs[layout.METRICS].append({"step": step, "train/loss": 1.0})
            logs[layout.TRAIL].append({"step": step, "batch": None, "streams": {}, "loss": "xxh3:1", "state": None})
        for log in logs.values():
            log.close()
        return reopened(found, step=3, logs={name: log.mark() for name, log in logs.items()})

    verdict = diff(thin(), thin())
    assert verdict.verdict == "cannot_say" and "no state is recorded" in verdict.summary
    assert any("3 rows hold no state digest on either side" in note for note in verdict.notes)
    told = [reopened(thin(), state_digest=digest) for digest in ("xxh3:1", "xxh3:1", "xxh3:2")]
    assert diff(told[0], told[1]).is_same
    parted = diff(told[0], told[2])
    assert parted.first_difference is not None and parted.first_difference.component == "state"


def test_a_run_of_a_later_format_is_refused_with_advice(record: Make, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = record(), record()
    for name in (layout.MANIFEST, layout.IDENTITY):
        document = read_sealed(b.folder / name)
        write_sealed(b.folder / name, {**{k: v for k, v in document.items() if k != "digest"}, "format": 99})
        with pytest.raises(MissingError, match="SR-RECORD-020"):
            diff(a, b.folder)
    assert run(["diff", str(a.folder), str(b.folder)]) == 4
    assert "pip install --upgrade samerun" in capsys.readouterr().err


def test_runs_of_other_trainers_are_another_experiment(record: Make) -> None:
    verdict = diff(record(settings={"trainer": "supervised"}), record(settings={"trainer": "policy"}))
    assert verdict.verdict == "different" and "config.trainer" in verdict.summary
    assert verdict.cause == "config: trainer supervised -> policy; no effect in 6 steps"


def test_a_checkpoint_that_one_side_lacks_is_said(record: Make) -> None:
    a, b = record(), record()
    files.make_dir(a.folder / layout.CHECKPOINTS / "digests")
    files.write_new(a.folder / layout.CHECKPOINTS / "digests" / "step-00000003.json", b"{}")
    verdict = diff(a, b)
    assert verdict.is_same and any("a holds 1 checkpoint of which b has none" in note for note in verdict.notes)


def test_a_live_run_is_compared_as_far_as_it_goes(record: Make) -> None:
    b = killed(record(steps=4))
    lock = RunLock(b.folder / layout.LOCK)
    lock.acquire(owner_facts())
    try:
        verdict = diff(record(steps=4), RunRecord.open(b.folder))
        assert verdict.is_same and verdict.steps_compared == 4
        assert any("b is being written" in note for note in verdict.notes)
    finally:
        lock.release()


def test_two_forks_are_compared_from_where_they_begin(record: Make) -> None:
    parent = Parent("run1-0123abcd", "0123abcd" * 2, 2, "xxh3:0")
    assert diff(record(steps=3, first=2, parent=parent), record(steps=3, first=2, parent=parent)).is_same
    moved = diff(record(steps=3, first=2, parent=parent), record(steps=3, first=3, parent=parent))
    assert moved.verdict == "different"


@pytest.mark.parametrize(
    ("name", "row"),
    [
        (layout.TRAIL, {"loss": "x"}),
        (layout.TRAIL, {"step": "1"}),
        (layout.TRAIL, {"step": 0, "state": 7}),
        (layout.TRAIL, {"step": 0, "streams": []}),
        (layout.METRICS, {"step": None}),
    ],
)
def test_rows_of_another_make_are_damage(record: Make, name: str, row: dict[str, Any]) -> None:
    b = killed(record(steps=0))
    log = RowLog.open(b.folder, name, None, 1)
    log.append({**row, "extra": 1})
    log.close()
    with pytest.raises(DamageError, match="SR-RECORD-021"):
        diff(record(), b)


@pytest.mark.parametrize("name", [layout.IDENTITY, layout.CONFIG, layout.MANIFEST])
def test_a_record_without_one_of_its_documents_is_damage(record: Make, name: str) -> None:
    b = record()
    (b.folder / name).unlink()
    with pytest.raises(DamageError, match="SR-RECORD-022"):
        diff(record(), b.folder)


def test_a_snapshot_that_is_not_what_was_written_is_damage(record: Make) -> None:
    b = record(source="sha256:other")
    (b.folder / layout.SOURCE_FILES).write_bytes(b"other")
    with pytest.raises(DamageError):
        diff(record(), b)


def test_a_source_document_of_another_make_is_damage(record: Make) -> None:
    b = record()
    document = read_sealed(b.folder / layout.SOURCE)
    write_sealed(b.folder / layout.SOURCE, {**document, "files": {"user/net.py": "x"}})
    with pytest.raises(DamageError, match="SR-RECORD-021"):
        diff(record(), b)


def test_what_is_no_run_is_no_match(record: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = record()
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("{}")
    with pytest.raises(NoMatchError):
        diff(a, tmp_path / "empty")
    for other in ("empty", "file", "gone"):
        assert run(["diff", str(a.folder), str(tmp_path / other)]) == 5
        assert "do:" in capsys.readouterr().err
    for pair in (("file", "file"), ("file", "empty")):
        code = run(["diff", *(str(tmp_path / name) for name in pair), "--json"])
        assert code in (5, 6) and '"error"' in capsys.readouterr().out


def test_every_refusal_has_four_parts(record: Make) -> None:
    b = record()
    (b.folder / layout.IDENTITY).unlink()
    with pytest.raises(SamerunError) as caught:
        diff(record(), b)
    assert all(caught.value.as_json()[part] for part in ("code", "what", "evidence", "do"))
