"""Comparing two recorded runs of 100,000 steps, against parsing the same four logs with `json.loads`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from measure import Figure, human, in_turns

from samerun.judge.metrics import compare_metrics
from samerun.judge.trail import compare_trails
from samerun.record import layout
from samerun.record.metrics import metrics_row
from samerun.record.rowchain import walk_rows
from samerun.record.rows import RowLog
from samerun.record.trail import trail_row

STEPS = 100_000


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, part_at in (("a", STEPS), ("same", STEPS), ("parts", 1000)):
            _write(folder / name, part_at)
        return [_figure(folder, "same", "equal"), _figure(folder, "parts", "parted at step 1,000")]


def _write(folder: Path, part_at: int) -> None:
    folder.mkdir()
    metrics, trail = (RowLog.open(folder, name, None, 1) for name in (layout.METRICS, layout.TRAIL))
    for step in range(STEPS):
        shift = int(step >= part_at)
        digest = f"xxh3:{step * 2 + shift:032x}"
        numbers = {
            "train/loss": 1.0 / (step + 1 + shift),
            "train/rate": 1e-3,
            "time/step_seconds": 1e-3 + part_at * 1e-9,
        }
        state = {"model": digest, "optimizer": digest, "batches": digest, "values": digest}
        drawn = {"data/order/epoch/{epoch}": 1797} if step % 29 == 0 else {}
        metrics.append(metrics_row(step, digest, numbers))
        trail.append(trail_row(step, batch=digest, streams=drawn, ambient=digest[:21], loss=digest, state=state))
    metrics.close()
    trail.close()


def _figure(folder: Path, other: str, title: str) -> Figure:
    sides = (folder / "a", folder / other)

    def bodies(side: Path, log: str) -> object:
        return (body for _, body in walk_rows(side, log))

    def ours() -> None:
        compare_metrics(*(bodies(side, layout.METRICS) for side in sides))  # type: ignore[arg-type]
        compare_trails(*(bodies(side, layout.TRAIL) for side in sides))  # type: ignore[arg-type]

    def theirs() -> None:
        for side in sides:
            for log in (layout.METRICS, layout.TRAIL):
                with (side / f"{log}.jsonl").open() as lines:
                    for line in lines:
                        json.loads(line)

    pair = in_turns(ours, theirs, rounds=3, warm_up=0)
    return Figure(
        f"compare two runs of {STEPS:,} steps, {title}",
        human(pair.ours),
        f"{human(pair.theirs)} (json.loads of each line)",
        pair.ratio,
        "under 3 s",
        pair.ours < 3.0,
        "sums of all 400,000 rows are checked as well; only rows that differ are parsed",
    )
