"""A run folder, read: without torch, while it is being written, and never past damage."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from samerun.base.lock import RunLock, owner_facts
from samerun.checkpoint.read import read_checkpoint
from samerun.checkpoint.store import list_checkpoints, list_steps
from samerun.errors import DamageError, NoMatchError
from samerun.record import layout
from samerun.record.manifest import Manifest, Status, read_manifest, write_manifest
from samerun.record.reader import RunRecord
from samerun.record.resolved import read_submitted
from samerun.record.rows import RowLog
from samerun.record.source_read import read_snapshot

MakeRun = Callable[..., Path]


def change(folder: Path, **fields: object) -> Manifest:
    manifest = replace(read_manifest(folder), **fields)  # type: ignore[arg-type]
    write_manifest(folder, manifest)
    return manifest


def read_everything(folder: Path) -> None:
    """Read each file of the run as its readers do."""
    record = RunRecord.open(folder)
    assert record.identity.id == record.manifest.identity
    read_submitted(folder, record.config)
    read_snapshot(folder)
    for name in (layout.ENVIRONMENT, layout.DATA, layout.DRIFT, layout.VERIFICATION, layout.LOCAL):
        record.document(name)
    assert record.marks.notes
    record.document(f"{layout.EVALUATIONS}/test.json")
    for name in (*layout.LOGS, layout.HOOKS_DONE):
        assert list(record.bodies(name))
    for step in list_steps(folder / layout.CHECKPOINTS):
        read_checkpoint(folder / layout.CHECKPOINTS / f"step-{step:08d}")


def test_a_record_is_read_whole(make_run: MakeRun) -> None:
    folder = make_run()
    record = RunRecord.open(folder)
    assert [row["step"] for row in record.metrics()] == [0, 1, 2]
    assert [row["batch"] for row in record.trail()] == ["xxh3:1"] * 3
    assert [row["event"] for row in record.events()] == ["note"] * 3
    assert record.config.values == {"batch_size": 64}
    assert record.identity.experiment["seed"] == "7"
    assert record.marks.tags == ("kept",)
    assert record.status is Status.COMPLETED
    assert [info.step for info in list_checkpoints(folder / layout.CHECKPOINTS)] == [3]
    assert record.name == folder.name and record.has(layout.DATA) and not record.has("other.json")
    read_everything(folder)


def flips(size: int) -> Iterator[int]:
    """Positions spread over a file, its first and last bytes among them."""
    spread = {size * part // 7 for part in range(7)} | {0, 1, size - 2, size - 1}
    return iter(sorted(position for position in spread if 0 <= position < size))


def test_a_flipped_byte_in_any_file_is_a_named_error(make_run: MakeRun) -> None:
    folder = make_run()
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and layout.ATTEMPTS not in path.parts]
    assert len(paths) >= 20
    for path in paths:
        whole = path.read_bytes()
        for position in flips(len(whole)):
            damaged = bytearray(whole)
            damaged[position] ^= 0x20
            path.write_bytes(damaged)
            with pytest.raises(DamageError):
                read_everything(folder)
        path.write_bytes(whole)
    read_everything(folder)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_every_flipped_byte_of_every_file_is_a_named_error(make_run: MakeRun) -> None:
    folder = make_run()
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or layout.ATTEMPTS in path.parts:
            continue
        whole = path.read_bytes()
        for position in range(len(whole)):
            damaged = bytearray(whole)
            damaged[position] ^= 0x01
            path.write_bytes(damaged)
            with pytest.raises(DamageError):
                read_everything(folder)
        path.write_bytes(whole)


def test_a_truncated_or_missing_file_is_a_named_error(make_run: MakeRun) -> None:
    folder = make_run()
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder).as_posix()
        if not path.is_file() or layout.ATTEMPTS in path.parts or relative == layout.SOURCE_PATCH:
            continue
        whole = path.read_bytes()
        for length in {0, len(whole) // 2, len(whole) - 1}:
            path.write_bytes(whole[:length])
            with pytest.raises(DamageError):
                read_everything(folder)
        path.unlink()
        if relative != layout.MARKS:
            with pytest.raises(DamageError):
                read_everything(folder)
        path.write_bytes(whole)
    read_everything(folder)


def test_what_a_rewind_took_out_is_named_by_its_digest(make_run: MakeRun) -> None:
    kept = list((make_run() / layout.ATTEMPTS).rglob("*.jsonl"))
    assert len(kept) == 3
    assert all(layout.kept_digest(path.name) is not None for path in kept)


def test_a_closed_log_that_goes_on_is_damage(make_run: MakeRun) -> None:
    folder = make_run()
    manifest = read_manifest(folder)
    for name, is_damage in ((layout.METRICS, True), (layout.TRAIL, True), (layout.EVENTS, False)):
        log = RowLog.open(folder, name, manifest.logs[name], 3, part_limit=600)
        log.append({"step": 3, "event": "note"})
        log.close()
        record = RunRecord.open(folder)
        if is_damage:
            with pytest.raises(DamageError, match="SR-RECORD-015"):
                list(record.bodies(name))
        else:
            assert len(list(record.bodies(name))) == 4


def test_a_torn_row_behind_a_closed_log_is_damage(make_run: MakeRun) -> None:
    folder = make_run()
    with (folder / "metrics.jsonl").open("ab") as log:
        log.write(b'{"step"')
    with pytest.raises(DamageError, match="SR-RECORD-015"):
        list(RunRecord.open(folder).metrics())


def test_a_killed_run_is_interrupted_and_its_torn_row_left_out(make_run: MakeRun) -> None:
    folder = make_run(status=Status.RUNNING, logs={})
    with (folder / "metrics.jsonl").open("ab") as log:
        log.write(b'{"step":3,"tr')
    record = RunRecord.open(folder)
    assert record.status is Status.INTERRUPTED
    assert [row["step"] for row in record.metrics()] == [0, 1, 2]


def test_a_live_run_is_running_and_readable(make_run: MakeRun) -> None:
    folder = make_run(status=Status.RUNNING, logs={})
    lock = RunLock(folder / layout.LOCK)
    lock.acquire(owner_facts())
    try:
        log = RowLog.open(folder, layout.METRICS, None, 3)
        log.append({"step": 0, "train/loss": 1.0})
        record = RunRecord.open(folder)
        assert record.is_live and record.status is Status.RUNNING
        assert len(list(record.metrics())) == 1
        log.append({"step": 1, "train/loss": 1.0})
        assert len(list(record.metrics())) == 2
        log.close()
    finally:
        lock.release()
    assert not record.is_live and record.status is Status.INTERRUPTED


def test_asking_whether_a_run_is_live_does_not_take_its_lock(make_run: MakeRun) -> None:
    folder = make_run()
    assert not RunRecord.open(folder).is_live
    assert not (folder / layout.LOCK).exists()


def test_a_log_of_a_closed_run_that_is_gone_is_damage(make_run: MakeRun) -> None:
    folder = make_run()
    (folder / "trail.jsonl").unlink()
    with pytest.raises(DamageError):
        list(RunRecord.open(folder).trail())


def test_what_is_no_run_is_told_from_a_half_deleted_one(make_run: MakeRun, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(NoMatchError, match="SR-RECORD-030"):
            RunRecord.open(path)
    folder = make_run()
    (folder / layout.MANIFEST).unlink()
    with pytest.raises(DamageError, match="SR-RECORD-022"):
        RunRecord.open(folder)
    for path in folder.glob("*.jsonl"):
        path.unlink()
    with pytest.raises(NoMatchError, match="SR-RECORD-030"):
        RunRecord.open(folder)


def test_a_document_that_was_never_written_is_damage_when_asked_for(make_run: MakeRun) -> None:
    folder = make_run()
    (folder / layout.DATA).unlink()
    with pytest.raises(DamageError, match="SR-RECORD-022"):
        RunRecord.open(folder).document(layout.DATA)


def test_reading_a_record_loads_no_torch(make_run: MakeRun) -> None:
    program = (
        "import json, sys\nfrom pathlib import Path\nfrom samerun.record.reader import RunRecord\n"
        "record = RunRecord.open(Path(sys.argv[1]))\nlist(record.metrics()), list(record.trail())\n"
        "assert record.identity and record.config and record.marks and record.status\n"
        "print(json.dumps(sorted({'torch', 'numpy', 'pydantic'} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", program, make_run()], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_a_manifest_of_now_is_read_when_it_is_asked_for_anew(make_run: MakeRun) -> None:
    folder = make_run()
    record = RunRecord.open(folder)
    log = RowLog.open(folder, layout.METRICS, record.manifest.logs[layout.METRICS], 3, part_limit=600)
    log.append({"step": 3})
    log.close()
    change(folder, logs={**record.manifest.logs, layout.METRICS: log.mark()})
    assert len(list(record.metrics())) == 4
