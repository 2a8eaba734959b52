"""`record`: a small run folder with rows, checkpoints and an entry, each of which a test can choose; no torch runs.

`faulty`: real runs of faulty_loop.py, one for each fault, that tests only read.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samerun.base.sealed import write_sealed
from samerun.checkpoint.write import write_checkpoint
from samerun.record import layout
from samerun.record.environment import write_environment
from samerun.record.identity import Identity, write_identity
from samerun.record.manifest import Entry, Manifest, Status, write_manifest
from samerun.record.metrics import metrics_row
from samerun.record.reader import RunRecord
from samerun.record.resolved import ResolvedConfig, write_config
from samerun.record.rows import RowLog
from samerun.record.source import gather
from samerun.record.source_document import write_source
from samerun.record.trail import trail_row
from samerun.rerun.verify import verify
from samerun.state.tree import pack

sys.path.insert(0, str(Path(__file__).parent.parent / "cli"))
from warm_process import WarmProcess

FAULTS = ("none", "draw", "rate", "last-bit", "outside", "chance")
NOW = "2026-01-01T00:00:00Z"
MakeRecord = Callable[..., RunRecord]


@pytest.fixture
def record(tmp_path: Path) -> MakeRecord:
    """Make a run folder in `project/runs`; `files` are the user's, `local` is what local.json holds."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "pyproject.toml").touch()

    def make(
        entry: Entry | None = None,
        *,
        steps: int = 6,
        epoch_starts: Sequence[int] = (0,),
        evaluations: Sequence[int] = (),
        checkpoints: Sequence[int] = (0,),
        files: Mapping[str, str] | None = None,
        local: Mapping[str, str] | None = None,
        place: Path = project,
        loss: float = 1.0,
        state: Mapping[str, str] | None = None,
        **manifest: Any,
    ) -> RunRecord:
        for label, text in (files or {}).items():
            (project / label).write_text(text)
        folder = place / "runs" / "tiny-0123abcd"
        folder.mkdir(parents=True)
        identity = Identity({"seed": "7"}, {"torch": "2.13.0"})
        write_identity(folder, identity)
        write_config(folder, ResolvedConfig({"rate": 1}, {}, {}, "sha256:0"), None)
        write_source(folder, gather(project, [project / label for label in files or ()]))
        write_environment(folder, project)
        write_sealed(folder / layout.LOCAL, {"root": str(project), **(local or {})})
        _write_rows(folder, steps, epoch_starts, evaluations, loss, state)
        for step in checkpoints:
            packed = {"model": pack({"weight": np.arange(3.0) + step})}
            write_checkpoint(folder / layout.CHECKPOINTS, step, packed, identity=identity.id)
        given = {"status": Status.STOPPED, "step": steps, "seed": "7", **manifest}
        entry = entry or Entry("script", (), "train.py")
        write_manifest(folder, Manifest("tiny", identity.id, identity.id, entry, NOW, NOW, **given))
        return RunRecord.open(folder)

    return make


@pytest.fixture
def twin(record: MakeRecord, tmp_path: Path) -> MakeRecord:
    """Make another record in a place of its own, with the same steps and facts unless said otherwise."""
    count = iter(range(9))

    def make(made: RunRecord, **wishes: Any) -> RunRecord:
        place = tmp_path / f"twin-{next(count)}"
        rows = list(made.trail())
        return record(**{"steps": len(rows), "state": rows[0]["state"], "place": place, **wishes})

    return make


@pytest.fixture
def verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, dict[str, Any]]]:
    """Prove a subject in the test's own folder; return what each check answers, by its name."""
    monkeypatch.chdir(tmp_path)

    def prove(subject: str, *checks: str, **wishes: Any) -> dict[str, dict[str, Any]]:
        found = verify(subject, **dict.fromkeys(checks, True), **wishes)
        return {check["name"]: check for check in found.as_json()["checks"]}

    return prove


def _write_rows(
    folder: Path,
    steps: int,
    epoch_starts: Sequence[int],
    evaluations: Sequence[int],
    loss: float,
    state: Mapping[str, str] | None,
) -> None:
    metrics, trail = (RowLog.open(folder, name, None, 1) for name in (layout.METRICS, layout.TRAIL))
    for step in range(steps):
        numbers = {"train/loss": loss, **({"val/error": 0.5} if step in evaluations else {})}
        metrics.append(metrics_row(step, None, numbers))
        drawn = {"data/order/epoch/{epoch}": 9} if step in epoch_starts else {}
        trail.append(trail_row(step, batch=None, streams=drawn, ambient="00", loss=None, state=state))
    metrics.close()
    trail.close()


@pytest.fixture(scope="session")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], RunRecord]:
    """Give the run of a fault by its name; `none` has none. All have one identity."""
    project = tmp_path_factory.mktemp("faulty")
    (project / "pyproject.toml").touch()
    shutil.copy(Path(__file__).parent / "faulty_loop.py", project / "loop.py")
    warm = WarmProcess(project)
    for fault in FAULTS:
        done = warm.run("train", "loop.py", "--name", fault, "-q", "--", "--fault", fault, cwd=project)
        assert done.code == 0, done.err
    warm.close()

    def run_of(fault: str) -> RunRecord:
        (folder,) = (project / "runs").glob(f"{fault}-*")
        return RunRecord.open(folder)

    return run_of
