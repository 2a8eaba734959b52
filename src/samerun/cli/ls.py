"""`samerun ls`: a table of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from samerun.cli.options import verb
from samerun.cli.output import Output, spell, table

if TYPE_CHECKING:
    from samerun.record.ls import ListedRun

HEADER = ["run", "status", "step", "created", "identity", "newest metrics"]
SHOWN_METRICS = 3
WIDTH = 100
GAP = "  "
"""Between two columns, and between two metrics."""


@verb("ls")
@click.option("--where", metavar="EXPR", help="Only runs of which it holds: 'train/loss<0.1 and config.seed=7'.")
@click.option("--status", metavar="S", help="Only runs of this status: running, stopped, completed, failed, damaged...")
@click.option("--tag", metavar="T", help="Only runs marked with this tag.")
def command(output: Output, where: str | None, status: str | None, tag: str | None, runs: Path | None) -> None:
    """List the runs of a folder, the oldest first.

    A condition compares name, status, step, seed, tier, identity, a metric's newest value by its column, or a setting
    as config.PATH, with one of = != < <= > >= ~ (contains); several are joined by `and`.
    """
    from samerun.record.ls import ls
    from samerun.record.project import runs_folder

    listed = ls(runs, where=where, status=status, tag=tag)
    if not listed:
        output.note(f"no run in {runs_folder(runs)}" + (" fits" if where or status or tag else ""))
    text = "\n".join(_table(listed, is_whole=output.verbosity > 0)) if listed else ""
    output.result({"runs": list(listed)}, text)


def _table(listed: Sequence[ListedRun], *, is_whole: bool) -> list[str]:
    facts = [_facts(row) for row in listed]
    width = sum(max(map(len, column)) + len(GAP) for column in zip(HEADER[:-1], *facts, strict=True))
    room = None if is_whole else WIDTH - width
    return table([[*cells, _newest(row, room)] for row, cells in zip(listed, facts, strict=True)], HEADER)


def _facts(row: ListedRun) -> list[str]:
    if row.problem is not None:
        return [row.run.name, row.status, "", "", ""]
    of = f"/{row.steps}" if row.steps is not None else ""
    return [row.run.name, row.status, f"{row.step}{of}", row.created[:10], row.identity[:8]]


def _newest(row: ListedRun, room: int | None) -> str:
    """Spell the newest metrics, as many as there is room for and one at least; None: all."""
    if row.problem is not None:
        return row.problem
    # Losses first: those that fit should be those that every run has.
    ordered = sorted((row.metrics or {}).items(), key=lambda item: (not item[0].endswith("loss"), item[0]))
    texts = [f"{name} {spell(value)}" for name, value in ordered]
    if room is None:
        return GAP.join(texts)
    fitting = [number for number in range(1, SHOWN_METRICS + 1) if len(GAP.join(texts[:number])) <= room]
    return GAP.join(texts[: max(fitting, default=1)])
