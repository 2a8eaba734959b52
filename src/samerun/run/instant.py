"""The source of a fresh run, all of one instant: gathered and captured again while something was written meanwhile.

Where a dirty tree could not be given back from the record, the start is refused if the command wants that, else said.
What is captured is record/capture.py's work, which run is gone on with choose.py's.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from samerun.base.text import human_bytes
from samerun.errors import RefusedError
from samerun.record.capture import Capture, capture
from samerun.record.left_out import FILE_LIMIT, LeftOut
from samerun.record.source import Source
from samerun.run.choose import Found, choose_run, choose_seed
from samerun.run.launch import LaunchOptions
from samerun.run.opening import Opening

__all__ = ["Found", "at_one_instant", "with_source"]

_TRIES: Final = 3
_SHOWN: Final = 5


def at_one_instant(opening: Opening, options: LaunchOptions) -> tuple[Opening, Found | None, int]:
    """Choose the run that a start means, and its seed; for a fresh one with its source as of one instant.

    Raises RefusedError SR-SOURCE-001 for a dirty tree that the record could not give back, and what `choose_run` does.
    """
    for number in range(_TRIES):
        found = choose_run(opening, options)
        if found is not None:
            return opening, found, choose_seed(opening.facts, found)
        taken = capture(opening.source, opening.runs)
        if not taken.moved:
            break
        if number + 1 == _TRIES:
            taken = taken.unsettled()
        else:
            opening = with_source(opening, opening.source.again())
    _judge(taken, options)
    return replace(opening, source=taken.source, captured=taken), None, choose_seed(opening.facts, None)


def with_source(opening: Opening, source: Source) -> Opening:
    """Return an opening whose facts are those of another reading of its source."""
    experiment = {**opening.facts.experiment, "source": source.facts()}
    return replace(opening, source=source, facts=replace(opening.facts, experiment=experiment))


def _judge(taken: Capture, options: LaunchOptions) -> None:
    if taken.incomplete and taken.is_dirty and options.refuses_dirty:
        left = len(taken.incomplete) - _SHOWN
        raise RefusedError(
            "SR-SOURCE-001",
            "the work tree differs from its commit, and the record could not give it back",
            evidence=[*taken.incomplete[:_SHOWN], *([f"and {left} more"] if left > 0 else [])],
            do=_way_on(taken.incomplete),
        )
    if options.is_quiet:
        return
    if taken.incomplete:
        more = f" and {len(taken.incomplete) - 1} more" if len(taken.incomplete) > 1 else ""
        sys.stderr.write(f"samerun: the record cannot give this source back: {taken.incomplete[0]}{more}\n")
    if large := [row for row in taken.left_out if not row.counts and (row.size_bytes or 0) > FILE_LIMIT]:
        sys.stderr.write(f"samerun: {_large(large)}\n")


def _way_on(incomplete: Sequence[str]) -> str:
    """Say what to do about files that no record can give back; nobody is told to commit a secret."""
    others = "name what does not matter in [tool.samerun] exclude, or add --allow-dirty"
    if any("secret" in reason.partition(": ")[2] for reason in incomplete):
        return f"take the secret out and commit the file without it, {others}"
    return f"commit it, {others}"


def _large(rows: list[LeftOut]) -> str:
    one = max(rows, key=lambda row: (row.size_bytes or 0, row.path))
    more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    return f"named and not stored: {one.path} ({human_bytes(one.size_bytes or 0)}){more}: {one.reason}"
