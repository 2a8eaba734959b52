"""Writing a new run folder, and taking an old one over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samerun.base import files
from samerun.base.sealed import read_sealed
from samerun.record.identity import read_identity, write_identity
from samerun.record.manifest import Status, read_manifest, write_manifest
from samerun.record.reader import RunRecord
from samerun.run.run import Run

Train = Callable[..., RunRecord]
DRIFT = {"allow_drift": ("platform",)}


class Killed(BaseException):
    """Stands for a process that is gone: nothing of it may go on."""


@pytest.fixture
def unhooked() -> Iterator[None]:
    yield
    files.on_operation(None)


def test_a_run_killed_before_its_manifest_is_begun_by_the_next_start(
    start: Callable[..., Run], train: Train, tmp_path: Path, unhooked: None
) -> None:
    def killing(operation: str, path: Path) -> None:
        if operation == "write" and "manifest" in path.name:
            raise Killed

    files.on_operation(killing)
    with pytest.raises(Killed):
        start()
    files.on_operation(None)
    (folder,) = (tmp_path / "runs").iterdir()
    assert (folder / "identity.json").exists() and not (folder / "manifest.json").exists()
    record = train(2)
    assert record.folder == folder and record.manifest.attempt == 1
    assert [row["step"] for row in record.metrics()] == [0, 1]


def test_a_new_folder_is_ready_before_the_loop(start: Callable[..., Run]) -> None:
    run = start(config={"rate": 0.5}, seed=2**127)
    with run:
        manifest = read_manifest(run.folder)
        assert (manifest.status, manifest.attempt, manifest.step, manifest.seed) == (Status.READY, 1, 0, str(2**127))
        assert manifest.identity == manifest.opening == run.identity == read_identity(run.folder).id
        assert manifest.segments[0].identity == run.identity
        record = RunRecord.open(run.folder)
        assert record.config.values == {"rate": 0.5} and record.document("environment.json") and not run.resumed


def test_each_further_process_counts(train: Train) -> None:
    assert [train(n).manifest.attempt for n in (1, 2, 2)] == [1, 2, 3]


def drift_to(record: RunRecord, **facts: Any) -> None:
    """Let the opening have been on a platform with these facts."""
    identity = read_identity(record.folder)
    other = replace(identity, platform={**identity.platform, **facts})
    write_identity(record.folder, other)
    first = replace(record.manifest.segments[0], identity=other.id)
    write_manifest(record.folder, replace(record.manifest, identity=other.id, segments=(first,)))


def test_a_segment_begins_at_the_checkpoint_that_a_killed_run_goes_on_from(train: Train) -> None:
    record = train(4, options={"stop_after": 3})
    drift_to(record, torch="1.0")
    write_manifest(record.folder, replace(read_manifest(record.folder), status=Status.RUNNING, step=0, logs={}))
    again = train(4, options={**DRIFT, "run_folder": record.folder})
    assert again.manifest.segments[1].from_step == 3
    assert [row["segment"] for row in again.trail()] == [0, 0, 0, 1]


def test_the_same_drift_again_is_the_same_segment(train: Train) -> None:
    record = train(1)
    drift_to(record, torch="1.0")
    for steps in (2, 3):
        again = train(steps, options={**DRIFT, "run_folder": record.folder})
    assert [segment.number for segment in again.manifest.segments] == [0, 1]
    assert [row["segment"] for row in again.trail()] == [0, 1, 1]


def test_coming_back_from_a_drift_is_a_further_segment(train: Train) -> None:
    record = train(1)
    drift_to(record, torch="1.0")
    away = train(2, options={**DRIFT, "run_folder": record.folder})
    # The opening becomes what is here now, and the segment something that was elsewhere.
    here = away.manifest.segments[1]
    first = replace(away.manifest.segments[0], identity=here.identity)
    elsewhere = replace(here, identity="0" * 16)
    write_manifest(record.folder, replace(away.manifest, segments=(first, elsewhere)))
    platform = {**away.identity.platform}
    platform["torch"] = read_sealed(record.folder / "drift.json")["segments"][0]["moved"][0]["new"]
    write_identity(record.folder, replace(away.identity, platform=platform))
    back = train(3, options={"run_folder": record.folder})
    assert [row["segment"] for row in back.trail()] == [0, 1, 2]
    assert back.manifest.segments[2].drift == () and back.manifest.segments[2].identity == here.identity


def test_a_start_at_any_broken_operation_of_the_opening_can_be_repeated(
    start: Callable[..., Run], train: Train, unhooked: None
) -> None:
    operations: list[str] = []
    files.on_operation(lambda operation, path: operations.append(operation))
    with start("count"):
        files.on_operation(None)
    for number in range(0, len(operations), max(1, len(operations) // 3)):
        left = [number]

        def failing(operation: str, path: Path, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Killed

        files.on_operation(failing)
        with suppress(Killed):
            start(f"broken-{number}")
        files.on_operation(None)
        assert train(1, f"broken-{number}").manifest.status is Status.COMPLETED
