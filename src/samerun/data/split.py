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
    Raises UsageError SR-DATA-017 for fractions that are no parts of a whole.
    """
    check_fractions(fractions)
    found: dict[str, list[Id]] = {name: [] for name in fractions}
    for item in ids:
        found[_name(_place(key, item if group is None else group(item)), fractions)].append(item)
    return found


def check_fractions(fractions: Mapping[str, float]) -> None:
    """Refuse (UsageError SR-DATA-017) fractions that are NaN, infinite or negative, or do not add up to 1.

    A sum below 1 is refused, too: which items would be in no split, nobody has said.
    """
    total = sum(fractions.values())
    # `not (... <= ...)`: a NaN is neither.
    wrong = [f"{name}: {part}" for name, part in fractions.items() if not 0 <= part <= 1]
    if wrong or not abs(total - 1) <= 1e-9:
        raise UsageError(
            "SR-DATA-017",
            "a fraction of a split is no part of a whole" if wrong else "the fractions of a split do not add up to 1",
            evidence=wrong or [*(f"{name}: {part}" for name, part in fractions.items()), f"sum: {total}"],
            do="give each split its part, all together 1; what is to be in none of them is a split, too: rest=0.1",
        )


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
