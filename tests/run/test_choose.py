"""Which existing run a start goes on with: names, identities, drift."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samerun.base.sealed import read_sealed
from samerun.errors import LockedError, RefusedError
from samerun.record.identity import read_identity, write_identity
from samerun.record.manifest import Status, read_manifest, write_manifest
from samerun.record.reader import RunRecord
from samerun.run.run import Run

Start = Callable[..., Run]
Train = Callable[..., RunRecord]


def folders(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "runs").iterdir() if not path.name.startswith("."))


def move_platform(folder: Path, **facts: Any) -> None:
    """Let the run have been opened on another platform."""
    identity = read_identity(folder)
    moved = replace(identity, platform={**identity.platform, **facts})
    write_identity(folder, moved)
    manifest = read_manifest(folder)
    first = replace(manifest.segments[0], identity=moved.id)
    write_manifest(folder, replace(manifest, identity=moved.id, opening=moved.id, segments=(first,)))


def move_source(folder: Path, file: str, meaning: str) -> None:
    """Let the run have been opened with another source file."""
    identity = read_identity(folder)
    source = identity.experiment["source"]
    user = {**source["user"], file: meaning}
    moved = replace(identity, experiment={**identity.experiment, "source": {**source, "user": user}})
    write_identity(folder, moved)
    manifest = read_manifest(folder)
    first = replace(manifest.segments[0], identity=moved.id)
    write_manifest(folder, replace(manifest, identity=moved.id, opening=moved.id, segments=(first,)))


def test_the_same_name_and_identity_goes_on(train: Train, tmp_path: Path) -> None:
    first = train(5, options={"stop_after": 2})
    assert first.manifest.status is Status.STOPPED
    second = train(5)
    assert folders(tmp_path) == [first.name] and second.manifest.attempt == 2
    assert [row["step"] for row in second.metrics()] == [0, 1, 2, 3, 4]


def test_a_completed_run_yields_no_steps_and_gets_its_state_back(train: Train, start: Start) -> None:
    train(3)
    with start() as run:
        assert run.resumed and list(run.steps(3)) == []
        assert run.step == 3 and run.values["place"] > 0
    assert RunRecord.open(run.folder).manifest.status is Status.COMPLETED


def test_a_live_run_is_refused_with_exit_7_and_unharmed(start: Start) -> None:
    with start() as run:
        steps = run.steps(2)
        next(steps)
        with pytest.raises(LockedError) as caught:
            start()
        assert caught.value.exit_code == 7
        list(steps)
    assert RunRecord.open(run.folder).manifest.status is Status.COMPLETED


def test_another_identity_is_a_new_folder_and_one_line_on_stderr(
    train: Train, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = train(2, config={"rate": 0.1})
    train(2, config={"rate": 0.2}, options={"is_quiet": False})
    lines = [line for line in capsys.readouterr().err.splitlines() if "a new run" in line]
    assert len(folders(tmp_path)) == 2 and len(lines) == 1
    assert "experiment.config.rate moved from 0.1 to 0.2" in lines[0]
    assert f"samerun resume {first.folder}" in lines[0]


def test_a_new_run_for_other_source_says_how_the_old_one_goes_on(
    train: Train, capsys: pytest.CaptureFixture[str]
) -> None:
    first = train(2)
    move_source(first.folder, "net.py", f"sha256:{'1' * 64}")
    train(2, options={"is_quiet": False})
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "a new run" in line)
    assert "'sha256:11111111...'" in line and "1" * 9 not in line
    assert f"put net.py back, then samerun resume {first.folder} (or as it is now: --allow-drift source)" in line


def test_an_aside_value_makes_no_new_run(train: Train, tmp_path: Path) -> None:
    for place in ("a", "b"):
        train(2, config={"out": place}, aside={"out": "where files go"})
    assert len(folders(tmp_path)) == 1


def test_new_forces_a_fresh_run_with_the_next_number(train: Train, tmp_path: Path) -> None:
    first = train(2)
    second = train(2, new=True)
    third = train(2, options={"is_new": True})
    assert [second.name, third.name] == [f"{first.name}-2", f"{first.name}-3"]
    assert not list(second.events()) and len(folders(tmp_path)) == 3


def test_continue_only_never_begins_at_step_0(train: Train, tmp_path: Path) -> None:
    with pytest.raises(RefusedError) as caught:
        train(2, options={"continue_only": True})
    assert caught.value.code == "SR-RUN-016" and caught.value.exit_code == 3
    train(2, seed=1)
    with pytest.raises(RefusedError) as other:
        train(2, seed=2, options={"continue_only": True})
    assert "seed" in other.value.evidence[0] and len(folders(tmp_path)) == 1
    assert len(list(train(4, seed=1, options={"continue_only": True}).metrics())) == 4


def test_no_seed_takes_the_recorded_one_else_draws_one(train: Train) -> None:
    first = train(2, seed=None, options={"stop_after": 1})
    assert train(2, seed=None).manifest.seed == first.manifest.seed
    other = train(2, "other", seed=None)
    assert int(other.manifest.seed) >= 0 and other.manifest.seed != first.manifest.seed


def test_another_seed_is_another_run(train: Train) -> None:
    assert train(1, seed=1).name != train(1, seed=2).name


def test_a_very_folder_whose_identity_moved_is_refused_by_field(train: Train) -> None:
    record = train(2, config={"rate": 0.1})
    with pytest.raises(RefusedError) as caught:
        train(4, config={"rate": 0.2}, options={"run_folder": record.folder, "allow_drift": ("platform", "source")})
    assert caught.value.code == "SR-RUN-017"
    assert caught.value.evidence == ("experiment.config.rate: 0.1 in the run, 0.2 now",)
    assert "--allow-drift" not in caught.value.do


def test_a_moved_platform_is_refused_with_the_command_that_allows_it(train: Train) -> None:
    record = train(2)
    move_platform(record.folder, torch="1.0")
    with pytest.raises(RefusedError) as caught:
        train(4, options={"run_folder": record.folder})
    assert caught.value.do.endswith("--allow-drift platform")
    with pytest.raises(RefusedError):
        train(4, options={"run_folder": record.folder, "allow_drift": ("source",)})


def test_allowed_drift_is_written_down_and_marks_every_later_row(train: Train) -> None:
    record = train(2)
    move_platform(record.folder, torch="1.0")
    again = train(4, options={"run_folder": record.folder, "allow_drift": ("platform",)})
    (entry,) = read_sealed(record.folder / "drift.json")["segments"]
    assert entry["moved"][0]["path"] == "torch" and entry["moved"][0]["old"] == "1.0"
    assert [row.get("run/segment", 0) for row in again.metrics()] == [0, 0, 1, 1]
    assert [row["segment"] for row in again.trail()] == [0, 0, 1, 1]
    second = again.manifest.segments[1]
    assert (second.number, second.from_step, second.drift) == (1, 2, ("platform.torch",))
