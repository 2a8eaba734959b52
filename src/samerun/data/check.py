"""Faults of data that make a comparison worthless: one content twice, one content in two splits, useless labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samerun.data.manifest import Entry
from samerun.errors import UsageError


@dataclass(frozen=True)
class Fault:
    """Something wrong with data, and where."""

    kind: str
    """duplicate, leak or empty."""
    ids: tuple[str, ...]


def duplicates(entries: Iterable[Entry]) -> list[Fault]:
    """Find files with the same content, and empty ones."""
    by_content: dict[str, list[str]] = defaultdict(list)
    empty: list[str] = []
    for entry in sorted(entries):
        (by_content[entry.sha256] if entry.size else empty).append(entry.id)
    same = [Fault("duplicate", tuple(ids)) for ids in by_content.values() if len(ids) > 1]
    return same + [Fault("empty", (name,)) for name in empty]


def leaks(splits: Mapping[str, Iterable[Entry]]) -> list[Fault]:
    """Find contents that stand in more than one split; ids are `split:id`."""
    places: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, entries in splits.items():
        for entry in sorted(entries):
            places[entry.sha256].append((name, entry.id))
    return [
        Fault("leak", tuple(f"{name}:{item}" for name, item in found))
        for found in places.values()
        if len({name for name, _ in found}) > 1
    ]


def check_labels(labels: Sequence[Any] | np.ndarray[Any, Any], where: str = "labels") -> None:
    """Check that labels can be learned: there are some, none is NaN or missing, and there are two classes at least.

    Raises UsageError SR-DATA-018 naming the first rows that are wrong (counted from 0).
    """
    array = np.asarray(labels)
    if array.size == 0:
        raise _useless(where, "there are none")
    missing = [row for row, value in enumerate(array.tolist()) if value is None or value != value]
    if missing:
        raise _useless(where, f"missing or NaN in {len(missing)} rows, first: {missing[:5]}")
    if len(set(array.tolist())) < 2:
        raise _useless(where, f"all {array.size} are {array.tolist()[0]!r}")


def _useless(where: str, found: str) -> UsageError:
    return UsageError(
        "SR-DATA-018",
        f"{where} cannot be learned from",
        evidence=[found, "wanted: a label for each item, of at least two classes"],
        do="repair the column, or name another one",
    )
