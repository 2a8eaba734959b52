"""Writing a new run folder, and taking an old one over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from samerun.base import files
from samerun.record.identity import read_identity
from samerun.record.manifest import Status, read_manifest
from samerun.record.reader import RunRecord
from samerun.run.run import Run

Train = Callable[..., RunRecord]


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
