"""How many numbers were handed out under each template: one row a step, so that a diff can name an extra draw.

Generators that were handed out are asked for their position when a row is taken, as long as anybody holds them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from samerun.streams.generators import Meter, Watched


class Ledger:
    """Counts since the last `take`, and since the beginning."""

    def __init__(self, *, watches: bool = True) -> None:
        self.row: defaultdict[str, int] = defaultdict(int)
        """What the frozen draws handed out since the last `take`, by template."""
        self._total: Counter[str] = Counter()
        self._watched: list[Watched] = []
        self._watches = watches

    def watch(self, template: str, generator: Any, meter: Meter) -> None:
        """Count what a generator consumes from now on."""
        if self._watches:
            self._watched.append(Watched(template, generator, meter))

    def add(self, counts: Mapping[str, int]) -> None:
        """Add what somebody else handed out for us: a loader worker's draws belong to the step that takes its batch."""
        for template, number in counts.items():
            self.row[template] += number

    def take(self) -> dict[str, int]:
        """Return the counts since the last call, sorted by template, and begin a new row."""
        self._ask()
        row = {template: number for template, number in sorted(self.row.items()) if number}
        self._total.update(row)
        self.row.clear()
        return row

    def totals(self) -> dict[str, int]:
        """Return the counts since the beginning, sorted by template."""
        self._ask()
        return dict(sorted((self._total + Counter(self.row)).items()))

    def _ask(self) -> None:
        if not self._watched:
            return
        for watched in self._watched:
            self.row[watched.template] += watched.take()
        self._watched = [watched for watched in self._watched if watched.is_still_used()]
