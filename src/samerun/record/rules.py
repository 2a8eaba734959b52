"""Which files a project wants recorded beside its code: `[tool.samerun] include` and `exclude` in pyproject.toml.

Patterns are relative to the project, with forward slashes; `*` stays within a name, `**` is any number of folders. No
link to a folder is followed, and no more is looked at than a start has time for.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from samerun.base.text import nearest
from samerun.errors import ConfigError
from samerun.record.project import project_table

LOOKED_AT: Final = 20_000
"""Names that are looked at for all patterns together."""
_NEVER: Final = frozenset({".git", "__pycache__"})
_KEYS: Final = ("exclude", "include", "runs")
"""What the table may hold; a misspelt rule would leave out, in silence, what it names."""


@dataclass(frozen=True)
class Rules:
    """The patterns of a project."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def excludes(self, label: str) -> bool:
        """Whether a path in the project is left out by a rule; a pattern of a folder takes what is in it along."""
        parts = label.strip("/").split("/")
        heads = [parts[:number] for number in range(1, len(parts) + 1)]
        return any(_matches(pattern.rstrip("/").split("/"), head) for pattern in self.exclude for head in heads)


def rules_of(root: Path) -> Rules:
    """Read the rules of the project at `root`. Raises ConfigError SR-PROJECT-001 and SR-SOURCE-003."""
    table = project_table(root / "pyproject.toml")
    for key in sorted(table.keys() - set(_KEYS)):
        close = nearest(key, _KEYS)
        raise _refused(root, f"{key!r:.100} is no setting" + (f"; did you mean {close!r}?" if close else ""))
    return Rules(_patterns(root, table, "include"), _patterns(root, table, "exclude"))


def _patterns(root: Path, table: dict[str, Any], key: str) -> tuple[str, ...]:
    patterns = table.get(key, [])
    if not isinstance(patterns, list):
        raise _refused(root, f"{key} is {patterns!r:.100}, not a list of patterns")
    for pattern in patterns:
        if not isinstance(pattern, str) or not pattern.strip("/"):
            raise _refused(root, f"{key} holds {pattern!r:.100}, not a pattern")
        if pattern.startswith(("/", "~")) or ".." in pattern.split("/") or "\\" in pattern:
            raise _refused(root, f"{key} holds {pattern!r:.100}: it must lie in the project, with forward slashes")
    return tuple(patterns)


def included(root: Path, rules: Rules, skip: Path | None = None) -> tuple[list[Path], bool]:
    """List what the rules name in the project, sorted, and whether all was looked at. Nothing in `skip` is named."""
    left = [LOOKED_AT]
    found: set[Path] = set()
    for pattern in rules.include:
        found.update(_walk(root, [part for part in pattern.split("/") if part not in ("", ".")], skip, left))
    kept = [path for path in sorted(found) if not rules.excludes(path.relative_to(root).as_posix())]
    return kept, left[0] > 0


def _walk(folder: Path, parts: Sequence[str], skip: Path | None, left: list[int]) -> Iterator[Path]:
    if skip is not None and folder == skip:
        return
    head, rest = parts[0], parts[1:]
    if head == "**":
        yield from _walk(folder, rest or ["*"], skip, left)
    for entry in entries_of(folder, left):
        is_folder = entry.is_dir(follow_symlinks=False)
        if head == "**":
            if is_folder:
                yield from _walk(Path(entry.path), parts, skip, left)
        elif fnmatch.fnmatchcase(entry.name, head):
            if not rest and not is_folder:
                yield Path(entry.path)
            elif is_folder:
                yield from _walk(Path(entry.path), rest or ["**"], skip, left)


def entries_of(folder: Path, left: list[int]) -> list[os.DirEntry[str]]:
    """List a folder, sorted, as far as `left` allows, and take off from it what was listed.

    A folder may hold millions: no more is even listed than a start has time for. One that cannot be read is empty.
    """
    try:
        with os.scandir(folder) as found:
            entries = sorted(islice(found, max(0, left[0])), key=lambda entry: entry.name)
    except OSError:
        return []
    left[0] -= len(entries)
    return [entry for entry in entries if entry.name not in _NEVER]


def _matches(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_matches(pattern[1:], parts[number:]) for number in range(len(parts) + 1))
    return bool(parts) and fnmatch.fnmatchcase(parts[0], pattern[0]) and _matches(pattern[1:], parts[1:])


def _refused(root: Path, problem: str) -> ConfigError:
    return ConfigError(
        "SR-SOURCE-003",
        "pyproject.toml does not say which files to record",
        evidence=[f"{root / 'pyproject.toml'}: [tool.samerun] {problem}"],
        do='write [tool.samerun] and include = ["conf/*.yaml"], relative to the project',
    )
