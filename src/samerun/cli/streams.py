"""`samerun streams`: the whole namespace of streams, and for a run the numbers drawn from each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from samerun.cli.options import verb
from samerun.cli.output import Output, table


@verb("streams")
@click.argument("subject", metavar="[RECIPE|RUN]", required=False)
def command(output: Output, subject: str | None, runs: Path | None) -> None:
    """List the named streams of randomness.

    With a RUN, also how many numbers its steps drew from each, as the trail counted them. A RECIPE is only read: it
    draws nothing yet.
    """
    from samerun.streams.listing import streams

    rows = _trail(subject, runs) if subject is not None else None
    listed = streams(rows)
    lines = table(
        [[stream.template, "" if stream.drawn is None else str(stream.drawn), stream.description] for stream in listed],
        ["stream", "" if rows is None else "drawn", "what draws from it"],
    )
    output.result({"subject": subject, "streams": list(listed)}, "\n".join(lines))


def _trail(subject: str, runs: Path | None) -> Iterable[Mapping[str, Any]] | None:
    from samerun.record.subject import is_recipe, is_script

    if is_recipe(subject):
        if not is_script(subject):
            from samerun.config.load import load_recipe

            load_recipe(subject)
        return None
    from samerun.record.find import find_run
    from samerun.record.project import runs_folder

    return find_run(subject, runs_folder(runs)).trail()
