"""What moved under a run that goes on: each file of the source with its first differing line, each field around it.

The facts themselves are compared in record/identity.py; here is what a person needs to see of them. Reads, and writes
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from samerun.base.text import short_digests
from samerun.errors import SamerunError
from samerun.record import layout
from samerun.record.environment import environment_document
from samerun.record.identity import Identity, Moved, moved
from samerun.record.lines import LineDiff, line_diff
from samerun.record.reader import RunRecord
from samerun.record.source import Source, place_of
from samerun.record.source_names import OF_IDENTITY, OWN, USER, group_of, label_of, name_of
from samerun.record.source_read import read_snapshot, read_source
from samerun.record.stored import Stored, stored_files

_NAMED: Final = 3
_COMPARED: Final = 50
"""Files that are compared line by line."""
_AROUND: Final = ("distributions", "python", "system", "variables")


@dataclass(frozen=True)
class MovedFile:
    """One file of the source that is other now, gone, or new."""

    name: str
    """As in source.json: `user/net.py`."""
    change: str
    """`changed`, `added` or `removed`."""
    lines: LineDiff

    def __str__(self) -> str:
        label, first = label_of(self.name), self.lines.first
        if first is None:
            return f"{label}: {self.change if self.change != 'changed' else self.lines.reason or 'changed'}"
        sides = [f"{side!r}" if side is not None else "no such line" for side in (first.old, first.new)]
        return f"{label}:{first.number}: {sides[0]} in the run, {sides[1]} now"

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in drift.json."""
        first = None if self.lines.first is None else self.lines.first.as_json()
        return {"path": self.name, "change": self.change, "first": first, "reason": self.lines.reason}


Details = Mapping[str, tuple[MovedFile, ...]]
"""Files by the path of the fact that they move."""


def details_of(record: RunRecord, source: Source, differences: Sequence[Moved]) -> Details:
    """Find the files behind each moved fact of the source; nothing of a record that cannot be read."""
    facts = [one for one in differences if one.drift_group == "source"]
    if not facts:
        return {}
    try:
        rows, kept = read_source(record.folder)["files"], read_snapshot(record.folder)
    except SamerunError:
        return {}
    now = stored_files(_of_now(rows, source).files)
    wanted = {one.path for one in facts}
    names = [name for name in sorted({*rows, *now.rows}) if group_of(name) in OF_IDENTITY and _fact_of(name) in wanted]
    found: dict[str, list[MovedFile]] = {}
    for number, name in enumerate(name for name in names if _is_other(rows.get(name), now.rows.get(name))):
        one = _moved_file(name, rows, kept, now, with_lines=number < _COMPARED)
        found.setdefault(_fact_of(name), []).append(one)
    return {path: tuple(files) for path, files in found.items()}


def _of_now(rows: Mapping[str, Any], source: Source) -> Source:
    """Add what the run imported late, as those files are now: no import statement shows them."""
    known = {name_of(USER, file.label) for file in source.of(USER)}
    names = (name for name in rows if group_of(name) == USER and name not in known)
    late = (place_of(label_of(name), source.root) for name in names)
    return source.with_late([path for path in late if path is not None])


def _fact_of(name: str) -> str:
    group, label = group_of(name), label_of(name)
    if group == USER:
        return f'source.user["{label}"]'
    return "source.samerun" if group == OWN else f"source.packages.{label.partition('/')[0]}"


def _is_other(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> bool:
    return one is None or other is None or one["meaning"] != other["meaning"]


def _moved_file(
    name: str, rows: Mapping[str, Any], kept: Mapping[str, bytes], now: Stored, *, with_lines: bool
) -> MovedFile:
    old, new = kept.get(name), now.contents.get(name)
    if name not in rows or name not in now.rows:
        return MovedFile(name, "added" if name in now.rows else "removed", LineDiff(reason="on one side only"))
    if old is None or new is None or not with_lines:
        return MovedFile(name, "changed", LineDiff(reason="not compared line by line"))
    return MovedFile(name, "changed", line_diff(old, new, counts=True))


def told(one: Moved, details: Details) -> str:
    """Spell a moved fact: by its files where it is one of the source, else by both values."""
    files = details.get(one.path, ())
    if not files:
        return short_digests(f"{one.name}: {one.old!r} in the run, {one.new!r} now")
    more = f" (and {len(files) - _NAMED} more files)" if len(files) > _NAMED else ""
    return f"{one.name}: {'; '.join(str(file) for file in files[:_NAMED])}{more}"


def as_rows(differences: Sequence[Moved], details: Details) -> list[dict[str, Any]]:
    """Give moved facts as they stand in drift.json, those of the source with their files."""
    return [
        {**one.as_json(), "files": [file.as_json() for file in details.get(one.path, ())]}
        if one.drift_group == "source"
        else one.as_json()
        for one in differences
    ]


def moved_around(folder: Path, root: Path, differences: Sequence[Moved]) -> list[Moved]:
    """List what moved in the environment of a run and is no part of its identity: packages, variables, the system."""
    record = RunRecord.open(folder)
    if not record.has(layout.ENVIRONMENT):
        return []
    known = {one.path for one in differences}
    sides = (_around(record.document(layout.ENVIRONMENT)), _around(environment_document(root)))
    found = moved(Identity({}, sides[0]), Identity({}, sides[1]))
    return [one for one in found if one.path not in known]


def _around(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: document.get(name, {}) for name in _AROUND}


def around_text(found: Sequence[Moved]) -> str:
    """Spell in one line what moved around a run."""
    return ", ".join(_words(found)) + (f" and {len(found) - _NAMED} more" if len(found) > _NAMED else "")


def _words(found: Sequence[Moved]) -> Iterator[str]:
    for one in found[:_NAMED]:
        yield f"{one.path} ({'absent' if one.old is None else one.old} | {'absent' if one.new is None else one.new})"
