"""State that changes from step to step and is saved nowhere, found by making a few steps of a training three times.

In processes of a series: the steps without a stop, their first half, and the rest resumed. What is looked at is
run/carried/'s, what a finding is judge/untracked.py's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from samerun.base import files
from samerun.errors import SamerunError
from samerun.judge.untracked import Untracked, compare_walks
from samerun.record.walked import Walk
from samerun.rerun.answer import Check
from samerun.rerun.made import Order
from samerun.rerun.series import Series
from samerun.rerun.watching import WalkWish

MOST_STEPS: Final = 6
"""Steps that are looked at: half of them before the stop."""
_NAMED = 3


@dataclass(frozen=True)
class Search:
    """What was found; `problem` says why nothing could be looked for, `unseen` what could not be looked into."""

    found: tuple[Untracked, ...] = ()
    unseen: tuple[str, ...] = ()
    problem: str | None = None


def untracked_of(series: Series, steps: int) -> Search:
    """Look for untracked state in the first steps of the training of a series, which has `steps` steps.

    Never raises for a training that fails: the answer then says so.
    """
    until = min(steps, MOST_STEPS)
    if until < 2:
        return Search(problem="one step alone carries nothing")
    folder = series.place("untracked")
    files.make_dir(folder)
    whole, resumed = (WalkWish(folder / f"{name}.json", until) for name in ("whole", "resumed"))
    parts = (("looked-at", until, whole), ("stopped", max(1, until // 2), None), ("stopped", until, resumed))
    try:
        for name, stop, walk in parts:
            # One number for all three: what they see of the world is no difference between them.
            series.train(f"untracked/{name}", 1, Order(stop, walk=walk), is_fresh=False)
        walks = [Walk.read(wish.path) for wish in (whole, resumed)]
        return Search(compare_walks(*walks), tuple(dict.fromkeys(text for walk in walks for text in walk.unseen)))
    except SamerunError as error:
        return Search(problem=f"the steps could not be made while they were looked at: {error.code}: {error.what}")


def with_untracked(check: Check, search: Search) -> Check:
    """Add what was found to the check of `resume`; where that found a difference, its detail names it too."""
    named = "; ".join(f"{one.path} changed {one.before} -> {one.after} between steps" for one in search.found[:_NAMED])
    more = f" and {len(search.found) - _NAMED} more" if len(search.found) > _NAMED else ""
    detail = f"{check.detail}; not saved: {named}{more}" if named and check.verdict == "different" else check.detail
    return replace(check, detail=detail, untracked=search.found, not_looked_into=_not_looked_into(search))


def _not_looked_into(search: Search) -> tuple[str, ...]:
    return search.unseen if search.problem is None else (search.problem,)
