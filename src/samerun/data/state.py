"""Checks of a loader's restored state: whole numbers under known names, or a refusal that says what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from samerun.errors import UsageError


def check_state(state: Mapping[str, Any], names: Sequence[str]) -> None:
    """Check that a state has exactly these names. Raises UsageError SR-DATA-010."""
    if set(state) != set(names):
        raise refused(
            "the state of a loader has other parts than this loader's",
            f"stored: {', '.join(sorted(map(str, state)))}",
            f"wanted: {', '.join(sorted(names))}",
        )


def whole_number(state: Mapping[str, Any], name: str) -> int:
    """Return a whole number of at least 0. Raises UsageError SR-DATA-010."""
    value = state[name]
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise refused("the state of a loader is no position", f"{name}: {value!r}", "wanted: an integer of at least 0")
    return value


def refused(what: str, *evidence: str) -> UsageError:
    """Return the error for a state that is not this loader's."""
    return UsageError(
        "SR-DATA-010", what, evidence=evidence, do="give the loader the data set and options that it was saved with"
    )
