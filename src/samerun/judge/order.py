"""Which of several differences in one step is told first: causes before effects.

Numbers before states; among states the order in which the loop tracks them, as checkpoints record it: a loop names its
model before what it makes of it, such as a moving average. Where no order is recorded, names decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from samerun.checkpoint.store import latest
from samerun.judge.difference import ORDER, Difference
from samerun.record import layout
from samerun.record.reader import RunRecord

Key = tuple[int, int, int, int, str]


def telling_order(*records: RunRecord) -> Callable[[Difference], Key]:
    """Return the key by which differences are sorted; the first of `records` that has an order gives it."""
    places = next((found for found in map(tracked_places, records) if found), {})

    def key(difference: Difference) -> Key:
        # The state before step 0 comes before row 0; within a row, causes before effects and numbers before states.
        step = -1 if difference.seen_at == 0 else difference.step
        name = difference.component
        rank = 0 if name in ("loss", "metrics") else 1 if difference.seen_at is None else 2
        return step, ORDER[difference.kind], rank, places.get(name or "", len(places)), str(name)

    return key


def tracked_places(record: RunRecord) -> Mapping[str, int]:
    """Number the tracked objects of a record in the order of the loop; empty where no checkpoint says it."""
    newest = latest(record.folder / layout.CHECKPOINTS)
    extra = newest.index.extra if newest is not None else None
    names = extra.get("tracked") if isinstance(extra, dict) else None
    return {name: place for place, name in enumerate(names)} if isinstance(names, list) else {}
