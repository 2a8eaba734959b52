"""A recipe as it was read: plain values, the line of every key, the exact bytes. Reading itself is in load.py."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from samerun.config.problems import Path, Problem


@dataclass(frozen=True)
class Reading:
    """What a reader of one syntax makes of a text: a tree of plain values, and the line (from 1) of each path."""

    value: Any
    lines: Mapping[Path, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Document:
    """A recipe: its table of values, where each key stands, and the bytes it was read from."""

    data: Mapping[str, Any]
    lines: Mapping[Path, int]
    name: str
    """As the user wrote it, for messages."""
    file_name: str
    """The last part of it, for records: no folder of this machine goes into a record."""
    raw: bytes
    problems: tuple[Problem, ...] = ()
    """What reading can report without ending: duplicate keys, keys and tags that are not read."""

    def line(self, path: Path) -> int:
        """Return the line of `path`, or of the nearest table around it that has one; 0 where none is known."""
        for length in range(len(path), 0, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return line
        return 0

    def where(self, path: Path) -> str:
        """Return "recipe.yaml:12" for messages."""
        return _at(self.name, self.line(path))

    def origin(self, path: Path) -> str:
        """Return the same for records, without folders."""
        return _at(self.file_name, self.line(path))


def _at(name: str, line: int) -> str:
    return f"{name}:{line}" if line else name
