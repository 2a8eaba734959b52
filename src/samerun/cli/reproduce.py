"""`samerun reproduce`: a recorded run made again in a new folder, from its own source and packages, and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from samerun.cli.options import verb
from samerun.cli.output import Output
from samerun.errors import ExitCode

STYLES = {"same": "green", "different": "red", "cannot_say": "yellow"}


@verb("reproduce")
@click.argument("run", metavar="RUN")
@click.option(
    "--in",
    "folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The new folder (default: reproduced-NAME here).",
)
@click.option("--steps", type=click.IntRange(min=1), metavar="N", help="Make only the first N steps again.")
@click.option("--here", is_flag=True, help="Use the present environment, also where it differs from the recorded one.")
@click.option("--fresh-environment", is_flag=True, help="Build an environment, also where the present one matches.")
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="Where the data lies.")
@click.option("--offline", is_flag=True, help="Ask no index: refused where an environment must be built.")
@click.option("--trust", is_flag=True, help="Run code, and install packages, that came with a foreign run.")
@click.option("--dry-run", is_flag=True, help="Say what would be restored, built and trained; write nothing.")
def command(output: Output, run: str, dry_run: bool, **wishes: Any) -> int:
    """Restore the source and the packages of RUN in a new folder, run it again, and compare.

    The present environment is used where it is the recorded one: the same Python, and every recorded distribution with
    the same version and files. Else a virtual environment is built there, with the index settings that pip has here.
    The verdict comes with the list of what could not be matched. Exit 0: same; 1: different, or it cannot be said.
    """
    from samerun.rerun.reproduce import plan_reproduction, reproduce

    is_long = output.verbosity > 0
    if dry_run:
        plan = plan_reproduction(run, **wishes)
        output.result({"dry_run": True, **plan.as_json()}, "\n".join(plan.lines(is_long=is_long)))
        return int(ExitCode.DONE)
    found = reproduce(run, **wishes, say=output.note)
    head = f"{output.paint(found.verdict, STYLES[found.verdict])}: {found.summary}"
    below = [] if output.is_quiet and found.verdict == "same" else found.lines(is_long=is_long)
    output.result(found.as_json(), "\n".join([head, *(f"  {line}" for line in below)]))
    return int(ExitCode.DONE if found.verdict == "same" else ExitCode.DIFFERENT)
