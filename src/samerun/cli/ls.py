"""`samerun ls`: a table of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from samerun.cli.options import verb
from samerun.cli.output import Output, spell, table

if TYPE_CHECKING:
    from samerun.record.ls import ListedRun

HEADER = ["run", "status", "step", "newest metrics"]
SHOWN_METRICS = 3


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
    limit = None if output.verbosity else SHOWN_METRICS
    text = "\n".join(table([_cells(row, limit) for row in listed], HEADER)) if listed else ""
    output.result({"runs": list(listed)}, text)


def _cells(row: ListedRun, limit: int | None) -> list[str]:
    if row.problem is not None:
        return [row.run.name, row.status, "", row.problem]
    of = f"/{row.steps}" if row.steps is not None else ""
    # Losses first: the three that fit should be those that every run has.
    ordered = sorted((row.metrics or {}).items(), key=lambda item: (not item[0].endswith("loss"), item[0]))
    metrics = ordered[:limit]
    return [row.run.name, row.status, f"{row.step}{of}", "  ".join(f"{name} {spell(value)}" for name, value in metrics)]
