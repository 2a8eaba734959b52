"""`samerun doctor`: what this machine can promise, and what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from samerun.cli.options import verb
from samerun.cli.output import Output

if TYPE_CHECKING:
    from samerun.tiers.doctor import Line

MARKS = {"ok": ("ok", "green"), "note": ("note", "yellow"), "missing": ("missing", "red")}


@verb("doctor")
def command(output: Output, runs: Path | None) -> None:
    """Say what each tier can promise on this machine, and why.

    The facts come from a child process that asks torch once; they are cached until torch, the driver, the boot or a
    variable that chooses kernels changes.
    """
    from samerun.tiers.doctor import diagnose

    lines = diagnose()
    text = "\n".join(f"{_mark(output, line)}  {line.topic}: {line.text}" for line in lines)
    output.result({"lines": [line.as_json() for line in lines]}, text)


def _mark(output: Output, line: Line) -> str:
    word, style = MARKS[line.state]
    return output.paint(word.ljust(7), style)
