"""Splits that stay: an item's split is a function of its id (or its group), so new items move no old one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping

from samerun.errors import UsageError

Id = str | int
_SPAN = 2.0**64


def split(
    ids: Iterable[Id],
    fractions: Mapping[str, float],
    key: str = "split",
    group: Callable[[Id], Id] | None = None,
) -> dict[str, list[Id]]:
    """Return the ids of each split, in the order given: pure in (key, id), about as large as the fractions say.

    The place of an item is SHA-256 of key and id as a number in [0, 1), and the splits lie there side by side in the
    order of `fractions`. `group` names what must stay together (a speaker, a patient). Another `key` is another split.
    Raises UsageError SR-DATA-017 for fractions that are negative or do not add up to 1.
    """
    total = sum(fractions.values())
    if not fractions or any(part < 0 for part in fractions.values()) or abs(total - 1) > 1e-9:
        raise UsageError(
            "SR-DATA-017",
            "the fractions of a split do not add up to 1",
            evidence=[f"{name}: {part}" for name, part in fractions.items()] + [f"sum: {total}"],
            do="give each split its part, all together 1",
        )
    found: dict[str, list[Id]] = {name: [] for name in fractions}
    for item in ids:
        found[_name(_place(key, item if group is None else group(item)), fractions)].append(item)
    return found


def _place(key: str, item: Id) -> float:
    kind = "i" if isinstance(item, int) else "s"
    spelled = f"{len(key)}:{key}:{kind}:{item}".encode()
    # 53 bits, so that the number is exact and below 1.
    return (int.from_bytes(hashlib.sha256(spelled).digest()[:8], "big") >> 11) / 2.0**53


def _name(place: float, fractions: Mapping[str, float]) -> str:
    edge, last = 0.0, ""
    for name, part in fractions.items():
        edge += part
        if part > 0:
            last = name
            if place < edge:
                return name
    return last
