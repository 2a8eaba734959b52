"""Wishes of a command, read and checked: a seed, a time limit, a number of steps. They are granted in train, resume."""

from __future__ import annotations

from samerun.errors import RefusedError
from samerun.record.progress import progress_of
from samerun.record.reader import RunRecord
from samerun.record.subject import train_anew


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


def check_steps(record: RunRecord, wanted: int) -> None:
    """Refuse (SR-RESUME-006) to end a run before a step that it has completed: the record would say less than done."""
    done = progress_of(record).step
    if wanted < done:
        raise RefusedError(
            "SR-RESUME-006",
            f"{record.name} has completed more steps than it should have in all",
            evidence=[f"completed: {done}", f"wanted: steps={wanted}"],
            do=f"-s steps={done} or more, or train anew: {train_anew(record.manifest.entry)} -s steps={wanted}",
        )
