"""`samerun export`: the environment of a run in the formats of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from samerun.base.text import human_bytes
from samerun.cli.options import verb
from samerun.cli.output import Output
from samerun.errors import ExitCode


@verb("export")
@click.argument("run", metavar="RUN")
@click.option(
    "--to",
    type=click.Choice(["constraints", "pylock", "cyclonedx"]),
    required=True,
    help="constraints: pins for pip; pylock: a PEP 751 lock file; cyclonedx: a bill of materials (extra sbom).",
)
@click.option(
    "-o",
    "out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where it goes; a file that stands there is replaced (default: standard output).",
)
@click.option("--offline", is_flag=True, help="Ask no index: refused for pylock, which needs one.")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and how large; write nothing.")
def command(
    output: Output,
    run: str,
    to: Literal["constraints", "pylock", "cyclonedx"],
    out: Path | None,
    offline: bool,
    dry_run: bool,
    runs: Path | None,
) -> int:
    """Export the environment that RUN was made in.

    Constraints and the bill of materials follow from the record: equal records give equal bytes. A pylock.toml names
    files and digests that a run folder does not hold, so `pip lock` asks the present index, for this Python and this
    platform. What cannot be pinned, such as an editable install, is named with the reason.
    """
    from samerun.rerun.export import export

    found = export(run, to=to, output=out, runs=runs, offline=offline, dry_run=dry_run, say=output.note)
    if not output.is_json and out is None and not dry_run:
        for pin in found.left_out if to != "constraints" else ():
            output.note(f"left out: {pin.name} {pin.version}: {pin.why}")
        output.result({}, (found.text or "").removesuffix("\n"))
        return int(ExitCode.DONE)
    size = "a size that only the index knows" if found.size_bytes is None else human_bytes(found.size_bytes)
    what = f"{found.num_distributions} distributions of {found.run}, {size}"
    target = "standard output" if out is None else out.as_posix()
    lines = [f"would write {what} to {target}" if dry_run else f"{target}: {what}"]
    lines += [f"  left out: {pin.name} {pin.version}: {pin.why}" for pin in found.left_out]
    document: dict[str, Any] = {"dry_run": dry_run, **found.as_json()}
    output.result({**document, "content": None} if dry_run else document, "\n".join(lines))
    return int(ExitCode.DONE)
