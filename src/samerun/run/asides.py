"""Aside values of a run that goes on: what differs from the newest process is told, since it must not decide numbers.

config.json keeps the values that the run began with; each change since then is an event, written by those who train.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from samerun.base.canon import canonical_bytes
from samerun.config.origin import flatten
from samerun.record.reader import RunRecord
from samerun.record.resolved import ResolvedConfig
from samerun.run.session import Session

_ABSENT: Final = "absent"


def tell_changed(session: Session, now: ResolvedConfig, *, is_quiet: bool) -> None:
    """Say in one line which aside values moved since the newest process, and have it recorded."""
    changed = changed_asides(session.folder, now)
    if not changed:
        return
    session.record_later("aside", changed=changed)
    if not is_quiet:
        listed = ", ".join(f"{path} {_spell(old)} -> {_spell(new)}" for path, (old, new) in changed.items())
        sys.stderr.write(f"samerun: aside values changed: {listed}\n")


def changed_asides(folder: Path, now: ResolvedConfig) -> dict[str, list[Any]]:
    """Return dotted path -> [value of the newest process, value of now] of the aside values that are others."""
    record = RunRecord.open(folder)
    before = _asides(record.config)
    for row in record.events():
        if row["event"] == "aside":
            before.update({path: new for path, (_, new) in row["changed"].items()})
    return {
        path: [before.get(path, _ABSENT), value]
        for path, value in _asides(now).items()
        if canonical_bytes(before.get(path, _ABSENT)) != canonical_bytes(value)
    }


def _asides(config: ResolvedConfig) -> dict[str, Any]:
    values: Mapping[str, Any] = dict(flatten(config.values))
    return {path: values[path] for path in config.asides if path in values}


def _spell(value: Any) -> str:
    return str(value)[:60]
