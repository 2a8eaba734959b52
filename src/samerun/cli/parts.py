"""`samerun parts`: the installed parts by group, and which distribution brought each."""

from __future__ import annotations

from pathlib import Path

from samerun.cli.options import verb
from samerun.cli.output import Output, table


@verb("parts")
def command(output: Output, runs: Path | None) -> None:
    """List the parts that a recipe can name.

    A part that cannot be imported is listed with the reason. Parts of your own project are named as
    package.module:NAME and need no listing.
    """
    from samerun.config.parts import parts

    installed = parts()
    listed = [
        {
            "group": part.group,
            "kind": part.kind,
            "distribution": part.distribution,
            "version": part.version,
            "target": part.target,
            "description": part.part.description if part.part is not None else None,
            "problem": part.problem,
        }
        for part in installed
    ]
    rows = [
        [part.group, part.kind, f"{part.distribution} {part.version}", part.problem or _described(part.part)]
        for part in installed
    ]
    text = "\n".join(table(rows, ["group", "kind", "from", "what it is"])) if rows else "no part is installed"
    output.result({"parts": listed}, text)


def _described(part: object) -> str:
    from samerun.config.parts import Part

    return part.description if isinstance(part, Part) else ""
