"""The answer of `verify` as text: a short line for each check, what was tried below it, what it rests on at the end.

Quiet leaves the lines of verdicts and the first differences, long shows all there is. What stands in it: answer.py.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from samerun.base.text import plural
from samerun.judge.difference import Answer
from samerun.rerun.answer import Check, Verification

Paint = Callable[[Answer], str]
"""Gives a verdict its colour."""
WIDTH: Final = 100
FEW: Final = 3
"""As many places that were not looked into are listed in a text that is not long."""


def proof_text(found: Verification, *, is_quiet: bool = False, is_long: bool = False, paint: Paint = str) -> str:
    """Return the whole answer."""
    lines = [f"{paint(found.verdict)}: {found.subject}"]
    for check in found.checks:
        lines += _head(check, paint)
        lines += [] if is_quiet else _below(check, is_long=is_long)
    if not is_quiet:
        lines += _rests_on(found.checks)
    return "\n".join(lines)


def _head(check: Check, paint: Paint) -> Iterator[str]:
    steps = f", {plural(check.steps_compared, 'step')}" if check.steps_compared else ""
    first, *more = _wrapped(2, f"{check.name}: {check.verdict}, {check.brief or check.detail}{steps}")
    yield first.replace(check.verdict, paint(check.verdict), 1)
    yield from more
    if check.first_difference is not None:
        yield from _wrapped(4, f"first difference: {check.first_difference}")


def _below(check: Check, *, is_long: bool) -> Iterator[str]:
    if is_long and check.brief:
        yield from _wrapped(4, f"in full: {check.detail}")
    yield from _cases(check, is_long=is_long)
    yield from _components(check, is_long=is_long)
    yield from _untracked(check, is_long=is_long)


def _cases(check: Check, *, is_long: bool) -> Iterator[str]:
    same = [case for case in check.cases if case.verdict == "same"]
    for case in check.cases:
        if case.verdict not in ("same", None):
            yield from _wrapped(4, f"{case.verdict}: {case.what}: {case.detail}")
    if check.name == "neutral" and same and not is_long:
        yield from _wrapped(4, f"flipped: {'; '.join(case.what for case in same)}")
    elif same:
        yield "    flipped:" if check.name == "neutral" else "    stops:"
        for case in same:
            shown = f": {case.detail}" if case.detail and is_long else ""
            yield from _wrapped(6, case.what + shown)
    for case in check.cases:
        if case.verdict is None:
            yield from _wrapped(4, f"not flipped: {case.what} ({case.detail})")


def _components(check: Check, *, is_long: bool) -> Iterator[str]:
    shown = {
        name: part
        for name, part in check.components.items()
        if is_long or part["verdict"] != "same" or part["steps"] < check.steps_compared
    }
    if shown:
        what = "compared" if is_long else "in fewer steps, or different"
        yield from _wrapped(4, f"{what}: {', '.join(_component(name, part) for name, part in shown.items())}")


def _component(name: str, found: Mapping[str, Any]) -> str:
    if found["verdict"] == "different":
        return f"{name} different at step {found['first_step']}"
    return f"{name} {found['steps']}" if found["steps"] else f"{name} nowhere"


def _untracked(check: Check, *, is_long: bool) -> Iterator[str]:
    without = "" if check.verdict == "different" else " (it did not matter in these steps)"
    for found in check.untracked:
        yield from _wrapped(4, f"not saved{without}: {found}")
    unseen = check.not_looked_into
    if len(unseen) > FEW and not is_long:
        yield f"    not looked into: {plural(len(unseen), 'place')} (-v lists them)"
        return
    for what in unseen:
        yield from _wrapped(4, f"not looked into: {what}")


def _rests_on(checks: tuple[Check, ...]) -> Iterator[str]:
    """Say what the answers rest on; how the processes differed is said once where it is equal for all."""
    parts = [(check.name, *check.rests_on.partition(": ")[::2]) for check in checks if check.rests_on]
    hows = dict.fromkeys(how for _, _, how in parts if how)
    if len(parts) == 1:
        yield from _wrapped(2, f"rests on: {': '.join(part for part in parts[0][1:] if part)}")
        return
    if parts:
        yield "  rests on:"
    for name, what, how in parts:
        yield from _wrapped(4, f"{name}: {what}" + (f": {how}" if how and len(hows) > 1 else ""))
    if len(hows) == 1 and parts:
        yield from _wrapped(4, f"between processes: {next(iter(hows))}")


def _wrapped(indent: int, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )
