from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from samerun.base.digest import sha256
from samerun.base.sealed import write_sealed
from samerun.checkpoint.write import write_checkpoint
from samerun.judge.integrity import check_files
from samerun.record import layout
from samerun.record.bundle.marker import Marker, write_marker
from samerun.record.manifest import Status, write_manifest
from samerun.record.reader import RunRecord
from samerun.record.rows import RowLog, end_mark
from samerun.state.tree import pack


@pytest.fixture
def run(record) -> RunRecord:
    """A whole run folder: documents, source, logs, two checkpoints, an evaluation and rows that a resume set aside."""
    made = record(steps=4)
    folder = made.folder
    (folder / layout.SOURCE_FILES).write_bytes(b"tar")
    (folder / layout.SOURCE_PATCH).write_bytes(b"patch")
    parts = {"snapshot": layout.SOURCE_FILES, "patch": layout.SOURCE_PATCH}
    facts = {part: {"name": name, "digest": sha256((folder / name).read_bytes())} for part, name in parts.items()}
    head = {"schema": "samerun.source", "format": layout.RUN_FORMAT}
    write_sealed(folder / layout.SOURCE, {**head, "files": {}, **facts})
    logs = {name: end_mark(folder, name).as_json() for name in (layout.METRICS, layout.TRAIL)}
    components = {"model": pack({"weight": np.arange(6.0), "steps": 3}), "values": pack({"best": 0.5})}
    for step, known in ((0, {}), (4, logs)):
        write_checkpoint(folder / layout.CHECKPOINTS, step, components, identity=made.identity.id, logs=known)
    (folder / layout.EVALUATIONS).mkdir()
    write_sealed(layout.evaluation_file(folder, "test"), {"metrics": {"evaluate/loss": 1.0}})
    kept = layout.attempt_folder(folder, 2)
    kept.mkdir(parents=True)
    (kept / layout.kept_name("metrics.jsonl", sha256(b"row\n"))).write_bytes(b"row\n")
    (folder / layout.LOCK).touch()
    return RunRecord.open(folder)


def files_of(run: RunRecord) -> list[Path]:
    return [path for path in sorted(run.folder.rglob("*")) if path.is_file() and path.name != layout.LOCK]


def problems(run: RunRecord) -> list[str]:
    return [problem.file for problem in check_files(RunRecord(run.folder))]


def test_a_whole_run_has_no_problem(run: RunRecord) -> None:
    assert check_files(run) == []


def test_a_changed_byte_in_any_file_is_found(run: RunRecord) -> None:
    for path in files_of(run):
        data = path.read_bytes()
        for position in {0, len(data) // 3, len(data) // 2, len(data) - 1}:
            changed = bytearray(data)
            changed[position] ^= 0x01
            path.write_bytes(changed)
            assert problems(run), f"{path.name}, byte {position}"
        path.write_bytes(data)
    assert problems(run) == []


def test_a_shortened_file_is_found(run: RunRecord) -> None:
    for path in files_of(run):
        data = path.read_bytes()
        path.write_bytes(data[:-1])
        assert problems(run), path.name
        path.write_bytes(data)


def test_a_missing_file_is_found(run: RunRecord) -> None:
    may_go = {"test.json", layout.ENVIRONMENT}
    for path in files_of(run):
        if path.name in may_go or path.parent.parent.name == layout.ATTEMPTS:
            continue
        data = path.read_bytes()
        path.unlink()
        assert problems(run), path.name
        path.write_bytes(data)


def test_two_swapped_tensor_files_are_found(run: RunRecord) -> None:
    step = run.folder / layout.CHECKPOINTS / "step-00000004"
    other = run.folder / layout.CHECKPOINTS / "step-00000000"
    (step / "state.json").write_bytes((other / "state.json").read_bytes() + b" ")
    assert any("step-00000004" in file for file in problems(run))


def test_a_log_without_its_last_row_is_found(run: RunRecord) -> None:
    path = run.folder / "trail.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    found = check_files(RunRecord(run.folder))
    assert {problem.file for problem in found} == {"trail.jsonl", "checkpoints/step-00000004/checkpoint.json"}


def test_a_file_that_no_digest_covers_is_named(run: RunRecord) -> None:
    (run.folder / "notes.txt").write_text("mine")
    (run.folder / layout.CHECKPOINTS / "step-00000004" / "extra.safetensors").write_bytes(b"x")
    found = check_files(RunRecord(run.folder))
    assert [(problem.file, problem.code) for problem in found] == [
        ("checkpoints/step-00000004/checkpoint.json", "SR-CHECKPOINT-010"),
        ("notes.txt", "SR-JUDGE-001"),
    ]


def test_what_a_killed_writer_left_behind_is_no_problem(run: RunRecord) -> None:
    rubble = run.folder / layout.CHECKPOINTS / ".step-00000006.x.tmp"
    rubble.mkdir()
    (rubble / "model.safetensors").write_bytes(b"half")
    assert problems(run) == []


def test_a_file_that_cannot_be_read_is_a_problem_and_not_a_traceback(run: RunRecord) -> None:
    (run.folder / layout.CONFIG).unlink()
    (run.folder / layout.CONFIG).mkdir()
    assert layout.CONFIG in problems(run)


def test_a_problem_reads_as_a_sentence(run: RunRecord) -> None:
    (run.folder / "notes.txt").write_text("mine")
    (problem,) = check_files(RunRecord(run.folder))
    assert str(problem) == "notes.txt: no digest covers it, so it is no part of this record"


def test_a_live_log_is_checked_as_far_as_it_goes(record) -> None:
    made = record(steps=2)
    log = RowLog.open(made.folder, layout.EVENTS, None, 1)
    log.append({"event": "note"})
    log.close()
    assert check_files(RunRecord(made.folder)) == []


def test_the_checkpoint_that_a_run_ended_with_has_to_be_there(run: RunRecord) -> None:
    write_manifest(run.folder, replace(run.manifest, state_digest="xxh3:0"))
    assert check_files(RunRecord.open(run.folder)) == []
    shutil.rmtree(run.folder / layout.CHECKPOINTS / "step-00000004")
    (problem,) = check_files(RunRecord.open(run.folder))
    assert (problem.file, problem.code) == ("checkpoints", "SR-RECORD-025")


def test_what_a_bundle_left_out_is_not_missed_and_what_it_brought_is_covered(run: RunRecord) -> None:
    folder = run.folder
    manifest = replace(run.manifest, status=Status.COMPLETED, step=4, state_digest="xxh3:0")
    write_manifest(folder, manifest)
    shutil.rmtree(folder / "checkpoints/step-00000004")
    assert problems(run) == [layout.CHECKPOINTS]
    path = folder / layout.UNPACKED_DATA / "rows.csv"
    path.parent.mkdir()
    path.write_bytes(b"1")
    write_marker(folder, Marker("sha256:0", (4,), {"rows.csv": sha256(b"1")}))
    assert problems(run) == []
    path.write_bytes(b"2")
    assert problems(run) == [layout.UNPACKED]
    path.write_bytes(b"1")
    (path.parent / "extra.csv").write_bytes(b"1")
    assert problems(run) == [layout.UNPACKED]
    (folder / layout.UNPACKED).unlink()
    assert problems(run) == [layout.CHECKPOINTS, "unpacked-data/extra.csv", "unpacked-data/rows.csv"]
