"""`samerun pack`: a run as one file that can be given away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from samerun.base.text import human_bytes, plural
from samerun.cli.options import verb
from samerun.cli.output import Output, pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samerun.rerun.pack import Packed


@verb("pack")
@click.argument("run", metavar="RUN")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file (default: <folder>.samerun.zip here).",
)
@click.option(
    "--checkpoints",
    metavar="WHICH",
    default="last,best",
    help="last, best and steps joined by commas; or all, or none (default: last,best).",
)
@click.option("--evaluations/--no-evaluations", default=True, help="Evaluations go along, or stay.")
@click.option("--data", is_flag=True, help="Add the files of its inputs that still are what it read.")
@click.option(
    "--data-limit",
    type=click.IntRange(min=0),
    metavar="MIB",
    default=1024,
    help="Most data to add (default: 1024 MiB).",
)
@click.option("--dry-run", is_flag=True, help="Check everything and say what would be packed; write nothing.")
def command(
    output: Output,
    run: str,
    out: Path | None,
    checkpoints: str,
    evaluations: bool,
    data: bool,
    data_limit: int,
    dry_run: bool,
    runs: Path | None,
) -> None:
    """Write RUN into one file that others can unpack, verify, compare and go on with.

    The same run and choice give the same bytes. Nothing of this machine goes along: no path, host or user, and no file
    that a run does not write; what stays is named. A live run, a damaged one and one that still holds a secret are
    refused. The file is a zip with RO-Crate metadata, so that other tools can read it.
    """
    from samerun.rerun.pack import pack

    packed = pack(
        run,
        out,
        checkpoints=checkpoints,
        evaluations=evaluations,
        data=data,
        data_limit_bytes=data_limit << 20,
        dry_run=dry_run,
        runs=runs,
        say=output.note,
    )
    text = packed.file.as_posix() if output.is_quiet else "\n".join(_lines(packed))
    output.result({**packed.as_json(), "dry_run": dry_run}, text)


def _lines(packed: Packed) -> Iterator[str]:
    yield f"{'would be packed' if packed.sha256 is None else 'packed'}: {packed.file.as_posix()}"
    yield from pairs(_facts(packed), indent="  ")


def _facts(packed: Packed) -> Iterator[tuple[str, object]]:
    yield "size", f"{human_bytes(packed.size_bytes)}, {plural(packed.num_members, 'file')}"
    if packed.sha256 is not None:
        yield "digest", packed.sha256
    yield "checkpoints", ", ".join(map(str, packed.checkpoints)) or "none"
    if packed.without:
        yield "without", f"{', '.join(map(str, packed.without))} (their digests are inside)"
    for name, size in packed.data.items():
        yield "data", f"{name}, {human_bytes(size)}"
    for line in packed.left_out:
        yield "stays", line
