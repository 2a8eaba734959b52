"""`marks.json`: what people say about a run afterwards. Notes, tags, pinned checkpoints, archived or not.

Nothing here is part of the identity, and nothing a run wrote is changed by it.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from samerun.base.redact import redact_text
from samerun.base.sealed import read_sealed, write_sealed
from samerun.record import layout
from samerun.record.manifest import check_format, malformed


@dataclass(frozen=True)
class Marks:
    """The document; equal to `Marks()` for a run nobody has marked."""

    notes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Sorted, each once."""
    pins: tuple[int, ...] = ()
    """Steps whose checkpoints are never deleted; sorted, each once."""
    is_archived: bool = False

    def with_note(self, note: str) -> Self:
        """Add a note at the end, without what looks like a secret in it."""
        return replace(self, notes=(*self.notes, redact_text(note)))

    def with_tag(self, tag: str) -> Self:
        """Add a tag. Raises UsageError SR-RECORD-001 for one that is no plain name."""
        return replace(self, tags=tuple(sorted({*self.tags, layout.check_name(tag, "choose another tag")})))

    def with_pin(self, step: int) -> Self:
        """Pin the checkpoint of a step; whether it exists is the caller's question."""
        return replace(self, pins=tuple(sorted({*self.pins, step})))

    def as_document(self) -> dict[str, Any]:
        """Give the plain tree that is sealed into the file."""
        return {
            "schema": "samerun.marks",
            "format": layout.RUN_FORMAT,
            "notes": list(self.notes),
            "tags": list(self.tags),
            "pins": list(self.pins),
            "archived": self.is_archived,
        }


def read_marks(folder: Path) -> Marks:
    """Read the marks of a run folder; none were made where the file is absent. Raises DamageError."""
    path = folder / layout.MARKS
    try:
        document = read_sealed(path)
    except FileNotFoundError:
        return Marks()
    check_format(document, "samerun.marks", str(path))
    lists: dict[str, type] = {"notes": str, "tags": str, "pins": int}
    for name, kind in lists.items():
        values = document.get(name)
        if not isinstance(values, list) or any(type(value) is not kind for value in values):
            raise malformed(str(path), f"{name} is {values!r:.200}")
    if type(document.get("archived")) is not bool:
        raise malformed(str(path), f"archived is {document.get('archived')!r:.200}")
    notes, tags, pins = (tuple(document[name]) for name in lists)
    return Marks(notes=notes, tags=tags, pins=pins, is_archived=document["archived"])


def write_marks(folder: Path, marks: Marks) -> None:
    """Replace the marks of a run folder at once."""
    write_sealed(folder / layout.MARKS, marks.as_document())
