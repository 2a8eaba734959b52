"""`record`: a small run folder written with the record's own writers, each part of which a test can change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from samerun.base.digest import sha256
from samerun.base.sealed import write_sealed
from samerun.record import layout
from samerun.record.identity import Identity, write_identity
from samerun.record.manifest import Entry, Manifest, Parent, Status, write_manifest
from samerun.record.metrics import is_clock, metrics_row
from samerun.record.reader import RunRecord
from samerun.record.resolved import ResolvedConfig, write_config
from samerun.record.rows import RowLog
from samerun.record.snapshot import snapshot_tar
from samerun.record.trail import trail_row

Rows = Sequence[dict[str, Any]]
MakeRecord = Callable[..., RunRecord]
NOW = "2026-01-01T00:00:00Z"


def step_rows(step: int, **changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The two rows of a step; `changes` replace fields of the trail, or the logged `numbers`."""
    numbers = changes.pop("numbers", {"train/loss": 1.0 / (step + 1)})
    state = changes.pop("state", {"model": f"xxh3:m{step}", "optim": f"xxh3:o{step}"})
    trail = trail_row(
        step,
        batch=f"xxh3:b{step}",
        streams={"data/order/epoch/{epoch}": 8} if step % 4 == 0 else {},
        ambient=f"a{step}",
        loss=str({name: value for name, value in numbers.items() if not is_clock(name)}),
        state=state,
    )
    return metrics_row(
        step, None if state is None else str(sorted(state.items())), {**numbers, "time/step_seconds": 0.001 * step}
    ), {**trail, **changes}


def write_logs(folder: Path, pairs: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Any]:
    """Write both logs and give their end marks."""
    marks = {}
    for place, name in enumerate((layout.METRICS, layout.TRAIL)):
        log = RowLog.open(folder, name, None, 1)
        for pair in pairs:
            log.append(pair[place])
        log.close()
        marks[name] = log.mark()
    return marks


@pytest.fixture
def record(tmp_path: Path) -> MakeRecord:
    """Make a run folder: `steps` rows, row `at` changed by `changes`, settings, platform and documents as given.

    thin: only every so many rows hold a state."""
    made = 0

    def make(
        steps: int = 6,
        at: int | None = None,
        first: int = 0,
        settings: Mapping[str, Any] | None = None,
        asides: Mapping[str, str] | None = None,
        platform: Mapping[str, Any] | None = None,
        source: str = "sha256:code",
        text: bytes = b"rate = 1\n",
        thin: int = 1,
        parent: Parent | None = None,
        status: Status = Status.COMPLETED,
        **changes: Any,
    ) -> RunRecord:
        nonlocal made
        made += 1
        folder = tmp_path / "runs" / f"run{made}-0123abcd"
        folder.mkdir(parents=True)
        values = {"optimizer": {"learning_rate": 0.1}, "seed": "7", **(settings or {})}
        experiment = {
            "config": {k: v for k, v in values.items() if k not in (asides or {})},
            "source": {"net.py": source},
        }
        identity = Identity(experiment, {"torch": "2.13.0", **(platform or {})})
        write_identity(folder, identity)
        origins = {"optimizer.learning_rate": {"layer": "recipe", "where": "digits.yaml:9"}}
        write_config(folder, ResolvedConfig(values, origins, dict(asides or {}), "sha256:0"), None)
        file = {"meaning": source, "content": f"{source} with comments"}
        write_source_document(folder, {"user/net.py": {**file, "is_stored": True}}, {"user/net.py": text})
        write_sealed(folder / layout.ENVIRONMENT, {"packages": {"numpy": "2.4.6"}})
        pairs = [
            step_rows(step, **({} if step % thin == 0 else {"state": None}), **(changes if step == at else {}))
            for step in range(first, first + steps)
        ]
        marks = write_logs(folder, pairs)
        entry = Entry("recipe", (), "digits.yaml")
        manifest = Manifest(
            f"run{made}", identity.id, identity.id, entry, NOW, NOW, status, first + steps, logs=marks, parent=parent
        )
        write_manifest(folder, manifest)
        return RunRecord.open(folder)

    return make


def write_source_document(folder: Path, rows: Mapping[str, Any], texts: Mapping[str, bytes] | None = None) -> None:
    """Write source.json with these rows, and the two files beside it."""
    facts = {}
    for key, name, data in (
        ("snapshot", layout.SOURCE_FILES, snapshot_tar(texts or {})),
        ("patch", layout.SOURCE_PATCH, b"patch"),
    ):
        (folder / name).write_bytes(data)
        facts[key] = {"name": name, "digest": sha256(data)}
    head = {"schema": "samerun.source", "format": layout.RUN_FORMAT}
    plain = {"content": "", "mode": "100644", "size_bytes": 1, "is_stored": False, "num_redacted": 0}
    files = {name: {**plain, **row} for name, row in rows.items()}
    write_sealed(folder / layout.SOURCE, {**head, "files": files, **facts})
