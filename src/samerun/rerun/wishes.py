"""Wishes of a command that are given as text: a seed and a time limit. What is done with them: train.py, resume.py."""

from __future__ import annotations


def seed_of(seed: int | str | None) -> int | None:
    """Read a master seed, given as a number or as its decimal text. Raises UsageError SR-SEED-001, 002."""
    if seed is None:
        return None
    from samerun.streams.derive import check_seed

    is_decimal = isinstance(seed, str) and len(seed) < 60 and seed.isascii() and seed.removeprefix("-").isdigit()
    return check_seed(int(seed) if is_decimal else seed)


def seconds_of(limit: str | None) -> float | None:
    """Read a time limit such as `15min`. Raises UsageError SR-TIME-001."""
    if limit is None:
        return None
    from samerun.base.clock import parse_duration

    return parse_duration(limit)
