"""What each side promised about its own bits: tier, exceptions, grade, allowed drift. A verdict carries it along.

Equal bits under a weaker promise are equal all the same; different ones then say less. Read from the manifest; which
lines of source an allowed drift moved stands in drift.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from samerun.base.text import plural
from samerun.record import layout
from samerun.record.manifest import Manifest
from samerun.record.reader import RunRecord

_SHOWN = 5


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


def drift_notes(side: str, record: RunRecord) -> Iterator[str]:
    """Name the files of the source that moved under `side` (`a` or `b`), each with its first line then and now."""
    if not record.has(layout.DRIFT):
        return
    segments = record.document(layout.DRIFT).get("segments", [])
    files = [file for segment in segments for moved in segment["moved"] for file in moved.get("files", [])]
    for file in files[:_SHOWN]:
        yield f"{side} went on with another {_words(file)}"
    if len(files) > _SHOWN:
        yield f"{side} went on with {len(files) - _SHOWN} more files that are other ones (drift.json)"


def _words(file: Mapping[str, Any]) -> str:
    label, first = file["path"].partition("/")[2], file["first"]
    if first is None:
        return f"{label}: {file['change']}"
    then, now = (repr(text) if text is not None else "no such line" for text in (first["old"], first["new"]))
    return f"{label}:{first['line']}: {then} before, {now} after"


def _with_count(operation: str, count: int | None) -> str:
    return operation if count is None else f"{operation} (ran {plural(count, 'time')})"
