"""What each side promised about its own bits: tier, exceptions, grade, allowed drift. A verdict carries it along.

Equal bits under a weaker promise are equal all the same; different ones then say less. Read from the manifest alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from samerun.base.text import plural
from samerun.record.manifest import Manifest


def promise_of(manifest: Manifest) -> dict[str, Any]:
    """Give what a run promised, and how often that was checked while it ran."""
    return {
        "tier": manifest.tier,
        "exact_except": list(manifest.exact_except),
        "excepted": dict(manifest.excepted),
        "grade": manifest.grade,
        "checked": {"times": manifest.checked.times, "equal": manifest.checked.equal},
        "drift": [
            {"from_step": part.from_step, "fields": list(part.drift)} for part in manifest.segments if part.drift
        ],
    }


def promise_notes(side: str, manifest: Manifest) -> Iterator[str]:
    """Say in words where the promise of `side` (`a` or `b`) is weaker than equal bits of a full run."""
    if manifest.tier != "exact":
        yield f"{side} ran under tier {manifest.tier}: its kernels were free to give other bits"
    if manifest.exact_except:
        ran = ", ".join(_with_count(name, manifest.excepted.get(name)) for name in manifest.exact_except)
        yield f"{side} was allowed operations without a deterministic kernel: {ran}"
    if manifest.grade != "full":
        yield f"{side} is of grade {manifest.grade}: it was recorded, not made by samerun's own loop"
    for part in manifest.segments:
        if part.drift:
            yield f"{side} went on at step {part.from_step} after an allowed drift: {', '.join(part.drift)}"
    if manifest.checked.times != manifest.checked.equal:
        yield f"{side} repeated {manifest.checked.times} steps while it ran, {manifest.checked.equal} of them equal"


def _with_count(operation: str, count: int | None) -> str:
    return operation if count is None else f"{operation} (ran {plural(count, 'time')})"
