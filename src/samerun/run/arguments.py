"""What `samerun.start`, `run.steps` and `run.epochs` are called with: refused here in words, before anything is made.

Only what has no meaning at all; seeds, tiers, configs and tables are checked where they are understood.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from samerun.errors import UsageError
from samerun.record.layout import check_name
from samerun.streams.finding import Mode


def check_start(name: object, exact_except: object, runs: object, sinks: object, **tables: object) -> None:
    """Check the kinds of the arguments of `samerun.start`, all at once; `tables` are those that must be mappings.

    Raises UsageError SR-RUN-020, or SR-RECORD-001 for a name that cannot be.
    """
    problems = [
        *_no_table(tables),
        *_no_words(exact_except),
        *_no_sinks(sinks),
    ]
    if not isinstance(name, str):
        problems.append(f"name: {name!r} is no text")
    if not isinstance(runs, (str, Path, type(None))):
        problems.append(f"runs: {runs!r} is no path")
    if problems:
        raise _refusal("samerun.start cannot use what it was given", problems)
    check_name(str(name))


def check_count(count: Any, what: str) -> int:
    """Return how many steps or epochs are wanted. Raises UsageError SR-RUN-020 for anything but a number from 0."""
    if isinstance(count, bool) or not hasattr(count, "__index__") or count < 0:
        raise _refusal(f"{what} cannot use what it was given", [f"count: {count!r} is no whole number from 0"])
    return int(count)


def check_guard(mode: str | None) -> Mode | None:
    """Return the guard that is wished for, if any. Raises UsageError SR-GUARD-006 for an unknown one."""
    for known in (None, *get_args(Mode)):
        if mode == known:
            return known  # type: ignore[no-any-return]
    raise UsageError(
        "SR-GUARD-006",
        f"guard is {mode!r}",
        evidence=[f"wanted: {' or '.join(get_args(Mode))}, or nothing for no guard"],
        do='pass guard="record" to note what would not repeat, guard="raise" to stop there',
    )


def _no_table(tables: Mapping[str, object]) -> Iterator[str]:
    for name, table in tables.items():
        if not isinstance(table, (Mapping, type(None))):
            yield f"{name}: {table!r} is no mapping"


def _no_words(exact_except: object) -> Iterator[str]:
    if isinstance(exact_except, str):
        yield f"exact_except: {exact_except!r} is one text; write [{exact_except!r}]"
    elif not isinstance(exact_except, Sequence) or not all(isinstance(one, str) for one in exact_except):
        yield f"exact_except: {exact_except!r} is no list of names of operations"


def _no_sinks(sinks: object) -> Iterator[str]:
    if not isinstance(sinks, Sequence):
        yield f"sinks: {sinks!r} is no list"
        return
    for sink in sinks:
        if not (callable(getattr(sink, "row", None)) and callable(getattr(sink, "close", None))):
            yield f"sinks: {sink!r} has no row(completed, target, row) and close()"


def _refusal(what: str, problems: Sequence[str]) -> UsageError:
    return UsageError("SR-RUN-020", what, evidence=problems, do="see docs/guides/plain-loops.md")
