"""`samerun gc`: old checkpoints and temporary folders; shown first, deleted with -y."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from samerun.base.text import human_bytes, plural
from samerun.cli.options import verb
from samerun.cli.output import Output, table

if TYPE_CHECKING:
    from samerun.record.gc import Collected


@verb("gc")
@click.option("--keep", type=click.IntRange(min=1), metavar="N", help="Keep only the N newest checkpoints of each run.")
@click.option("-y", "--yes", "delete", is_flag=True, help="Delete what is shown.")
@click.option("--dry-run", is_flag=True, help="Only show, also with -y.")
def command(output: Output, keep: int | None, delete: bool, dry_run: bool, runs: Path | None) -> None:
    """Find old checkpoints, and temporary folders that a killed process left behind.

    Nothing is deleted without -y. Step 0, the best and pinned checkpoints stay, and so does every record of what a run
    did: a deleted checkpoint leaves its digests. Runs that are live or damaged are left alone.
    """
    from samerun.record.gc import gc

    collected = gc(runs, keep=keep, delete=delete and not dry_run)
    document = {
        "runs": collected.runs,
        "deleted": collected.is_deleted,
        "size_bytes": collected.size_bytes,
        "found": list(collected.found),
        "skipped": list(collected.skipped),
    }
    output.result(document, "\n".join(_lines(collected, output.is_quiet)))
    if collected.found and not collected.is_deleted:
        output.note("nothing was deleted; add -y to delete it")


def _lines(collected: Collected, is_quiet: bool) -> list[str]:
    if is_quiet:
        return [one.path.as_posix() for one in collected.found]
    rows = [[one.kind, human_bytes(one.size_bytes), one.path.as_posix()] for one in collected.found]
    done = "deleted" if collected.is_deleted else "can go"
    lines = table(rows, ["what", "size", "where"]) if rows else []
    lines += [f"{plural(len(rows), 'thing')} {done}, {human_bytes(collected.size_bytes)}"]
    return lines + [f"left alone: {reason}" for reason in collected.skipped]
