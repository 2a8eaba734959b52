"""One content twice: within a split a weight that nobody chose, across splits a leak that no score survives.

Equal contents are told by their digests alone. What is only nearly equal is near.py's work.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from samerun.base.text import plural, shown
from samerun.data.entry import Entry
from samerun.errors import RefusedError


@dataclass(frozen=True)
class Twins:
    """Entries of one content, or of nearly one."""

    ids: tuple[str, ...]
    splits: tuple[str, ...] = ()
    """The splits that they stand in, sorted; none where nothing was split."""
    similarity: float = 1.0
    """Share of shingles (text) or bits (images) that two have in common; 1 for equal contents."""
    kind: str = "content"
    """content, text or image."""

    @property
    def is_leak(self) -> bool:
        """Whether they stand in more than one split."""
        return len(self.splits) > 1

    def __str__(self) -> str:
        where = f" (across {', '.join(self.splits)})" if self.is_leak else ""
        how = "" if self.kind == "content" else f" ({self.kind}, {self.similarity:.2f} alike)"
        return f"{' = '.join(map(shown, self.ids[:4]))}{' ...' if len(self.ids) > 4 else ''}{how}{where}"

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"ids": list(self.ids), "splits": list(self.splits), "kind": self.kind, "similarity": self.similarity}


@dataclass(frozen=True)
class Duplicates:
    """What was found to be there more than once."""

    exact: tuple[Twins, ...] = ()
    near: tuple[Twins, ...] | None = None
    """None where it was not asked for."""
    not_looked_at: int = 0
    """Entries without a nearness: neither text nor an image, or not to be had where the data lies."""

    @property
    def all(self) -> tuple[Twins, ...]:
        """Exact ones, then near ones."""
        return (*self.exact, *(self.near or ()))

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return {
            "exact": [one.as_json() for one in self.exact],
            "near": None if self.near is None else [one.as_json() for one in self.near],
            "leaks": sum(one.is_leak for one in self.all),
            "not_looked_at": self.not_looked_at,
        }

    def in_words(self) -> str:
        """Say the counts in one line."""
        near = "" if self.near is None else f", {plural(len(self.near), 'near pair')}"
        skipped = f", {self.not_looked_at} not looked at" if self.not_looked_at else ""
        leaks = sum(one.is_leak for one in self.all)
        across = f", {leaks} of them across splits" if any(one.splits for one in self.all) else ""
        return f"{plural(len(self.exact), 'content')} more than once{near}{across}{skipped}"

    def lines(self, limit: int | None = None) -> Iterator[str]:
        """Name what is there more than once, one a line, at most `limit`."""
        yield from map(str, self.all[:limit])
        if limit is not None and len(self.all) > limit:
            yield f"and {len(self.all) - limit} more (-v shows them)"


def exact_duplicates(entries: Iterable[Entry]) -> tuple[Twins, ...]:
    """Find entries of equal content, sorted by their first id. Empty files are equal, too."""
    by_content: dict[str, list[Entry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: entry.id):
        by_content[entry.sha256].append(entry)
    return tuple(twins(found) for found in by_content.values() if len(found) > 1)


def twins(entries: Sequence[Entry], similarity: float = 1.0, kind: str = "content") -> Twins:
    """Return entries that are alike, with the splits that they stand in."""
    splits = sorted({entry.split for entry in entries if entry.split is not None})
    return Twins(tuple(entry.id for entry in entries), tuple(splits), similarity, kind)


def refuse_duplicates(found: Duplicates) -> None:
    """Refuse (SR-DATA-030) a data set that holds something more than once."""
    if found.all:
        raise RefusedError(
            "SR-DATA-030",
            f"the data set holds {found.in_words()}",
            evidence=list(map(str, found.all[:5])),
            do="remove all but one, or keep them together: samerun data split MANIFEST --by content",
        )
