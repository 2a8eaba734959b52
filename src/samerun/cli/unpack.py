"""`samerun unpack`: a bundle becomes a run folder, verified before it appears."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from samerun.base.text import human_bytes, plural
from samerun.cli.options import verb
from samerun.cli.output import Output, pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samerun.rerun.unpack import Unpacked


@verb("unpack")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The run folder to make (default: among the runs).",
)
@click.option("--dry-run", is_flag=True, help="Verify every byte and say what would be unpacked; write nothing.")
def command(output: Output, file: Path, out: Path | None, dry_run: bool, runs: Path | None) -> None:
    """Verify FILE, which `samerun pack` wrote, and make a run folder of it.

    Everything is verified before the folder appears, and nothing inside is run: going on with the run's own code takes
    --trust. A folder that is there already is not touched: the same content is said to be there, other content gets
    the next free number.
    """
    from samerun.rerun.unpack import unpack

    unpacked = unpack(file, out, runs=runs, dry_run=dry_run, say=output.note)
    text = unpacked.run.as_posix() if output.is_quiet else "\n".join(_lines(unpacked, dry_run))
    output.result({**unpacked.as_json(), "dry_run": dry_run}, text)


def _lines(unpacked: Unpacked, dry_run: bool) -> Iterator[str]:
    done = "would be unpacked" if dry_run else "unpacked"
    yield f"{done if unpacked.is_new else 'is there already'}: {unpacked.run.as_posix()}"
    yield from pairs(_facts(unpacked), indent="  ")


def _facts(unpacked: Unpacked) -> Iterator[tuple[str, object]]:
    yield "size", f"{human_bytes(unpacked.size_bytes)}, {plural(unpacked.num_members, 'file')}, all verified"
    yield "checkpoints", ", ".join(map(str, unpacked.checkpoints)) or "none"
    if unpacked.without:
        yield "without", f"{', '.join(map(str, unpacked.without))} (left out by who packed it)"
    for name in unpacked.data:
        yield "data", name
    if unpacked.code:
        yield "code", f"{', '.join(unpacked.code[:5])} (runs with --trust only)"
