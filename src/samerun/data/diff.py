"""Two manifests side by side: what is missing, extra, altered, moved, or belongs elsewhere by its label or group.

A file that is missing under one name and extra under another, with the same content, has moved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from samerun.base.text import plural, shown
from samerun.data.entry import Entry
from samerun.data.manifest import Manifest

CLASSES: Final = ("missing", "extra", "altered", "moved", "relabelled")


@dataclass(frozen=True)
class Differences:
    """What differs, by id, sorted."""

    missing: tuple[str, ...] = ()
    """In the first alone."""
    extra: tuple[str, ...] = ()
    """In the second alone."""
    altered: tuple[str, ...] = ()
    """In both, with another content."""
    moved: tuple[tuple[str, str], ...] = ()
    """The same content under another id: the old one and the new one."""
    relabelled: tuple[str, ...] = ()
    """In both with the same content, and another label, group or time."""
    of: int = 0
    """Entries that either has."""
    noun: str = "file"

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in CLASSES)

    def counts(self) -> dict[str, int]:
        """Return how many there are of each class."""
        return {name: len(getattr(self, name)) for name in CLASSES}

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        lists = {name: list(getattr(self, name)) for name in CLASSES if name != "moved"}
        return {**lists, "moved": [list(pair) for pair in self.moved], "of": self.of}

    def in_words(self) -> str:
        """Say the counts: `1 altered and 2 moved of 10 files`."""
        parts = [f"{count} {name}" for name, count in self.counts().items() if count]
        return f"{', '.join(parts) or 'nothing differs'} of {plural(self.of, self.noun)}"

    def lines(self, limit: int | None = None) -> Iterator[str]:
        """Name what differs, one a line, at most `limit` of a class."""
        for name, count in self.counts().items():
            for one in getattr(self, name)[:limit]:
                yield f"{name}: {shown(one) if isinstance(one, str) else ' -> '.join(map(shown, one))}"
            if limit is not None and count > limit:
                yield f"{name}: and {count - limit} more (-v shows them)"


def diff(old: Manifest, new: Manifest) -> Differences:
    """Name what differs between two manifests."""
    before = {entry.id: entry for entry in old.entries}
    after = {entry.id: entry for entry in new.entries}
    contents = content_differences(
        {name: entry.sha256 for name, entry in before.items()}, {name: entry.sha256 for name, entry in after.items()}
    )
    same = sorted((before.keys() & after.keys()) - set(contents.altered))
    relabelled = tuple(name for name in same if _belongs(before[name]) != _belongs(after[name]))
    return replace(contents, relabelled=relabelled, noun=old.kind.removesuffix("s"))


def content_differences(old: Mapping[str, str], new: Mapping[str, str]) -> Differences:
    """Name what differs between two lists of digests by id."""
    gone, come = sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())
    altered = tuple(sorted(name for name in old.keys() & new.keys() if old[name] != new[name]))
    moved = tuple(_moved(gone, come, old, new))
    left, right = {pair[0] for pair in moved}, {pair[1] for pair in moved}
    return Differences(
        tuple(name for name in gone if name not in left),
        tuple(name for name in come if name not in right),
        altered,
        moved,
        of=len(old.keys() | new.keys()),
    )


def _moved(
    gone: Iterable[str], come: Iterable[str], old: Mapping[str, str], new: Mapping[str, str]
) -> Iterable[tuple[str, str]]:
    waiting: dict[str, list[str]] = defaultdict(list)
    for name in come:
        waiting[new[name]].append(name)
    for name in gone:
        if places := waiting.get(old[name]):
            yield name, places.pop(0)


def _belongs(entry: Entry) -> tuple[str | None, ...]:
    return entry.label, entry.group, entry.time
