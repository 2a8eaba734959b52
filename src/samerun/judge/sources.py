"""The source of two runs: which files differ, whether their meaning does, and the lines, from each run's own snapshot.

Snapshots are read only where a file differs. How lines are compared is in lines.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from samerun.judge.documents import ABSENT
from samerun.record import layout
from samerun.record.lines import LineDiff, line_diff
from samerun.record.manifest import malformed
from samerun.record.source_names import BESIDE, CHANGED, GROUPS, group_of

File = Mapping[str, Any]
_WITH_LINES: Final = 50
"""Files that are compared line by line; another version of a package may differ in hundreds."""


@dataclass(frozen=True)
class SourceSide:
    """The source of one run."""

    document: Mapping[str, Any]
    """`source.json`; empty for a run that has none."""
    read: Callable[[], Mapping[str, bytes]]
    """Reads the stored files by their names in the document."""

    @cached_property
    def files(self) -> Mapping[str, File]:
        """The rows of the document by group and label."""
        files = self.document.get("files", {})
        if not isinstance(files, Mapping) or not all(_is_whole(file) for file in files.values()):
            raise malformed(layout.SOURCE, "files are not told by their meaning and content")
        return files

    @cached_property
    def stored(self) -> Mapping[str, bytes]:
        """The stored files, read once."""
        return self.read()


def _is_whole(file: Any) -> bool:
    return isinstance(file, Mapping) and all(isinstance(file.get(key), str) for key in ("meaning", "content"))


def source_rows(a: SourceSide, b: SourceSide) -> list[dict[str, Any]]:
    """List the source files that differ, the user's own first.

    `counts` says whether the meaning of a file of the identity differs, else `why_not` says what it is; `lines` what
    changed where, or the reason why that cannot be shown. Raises DamageError for a snapshot that is not what the run's
    own document says.
    """
    differing = [label for label in sorted(a.files.keys() | b.files.keys()) if _differs(a, b, label)]
    differing.sort(key=lambda label: (_rank(label), label))
    return [_row(a, b, label, number < _WITH_LINES) for number, label in enumerate(differing)]


def _rank(label: str) -> int:
    group = group_of(label)
    return GROUPS.index(group) if group in GROUPS else len(GROUPS)


def _differs(a: SourceSide, b: SourceSide, label: str) -> bool:
    one, other = a.files.get(label), b.files.get(label)
    return one is None or other is None or _digests(one) != _digests(other)


def _digests(file: File) -> tuple[str, str]:
    return file["meaning"], file["content"]


def _row(a: SourceSide, b: SourceSide, label: str, with_lines: bool) -> dict[str, Any]:
    one, other = a.files.get(label), b.files.get(label)
    is_aside = group_of(label) in BESIDE
    counts = not is_aside and (one is None or other is None or one["meaning"] != other["meaning"])
    why_not = "not imported" if is_aside else None if counts else "comments or layout only"
    sides = [ABSENT if side is None else side["meaning" if counts else "content"] for side in (one, other)]
    change = "added" if one is None else "removed" if other is None else "changed"
    found = _lines(a, b, label, counts, with_lines) if one and other else LineDiff(reason="on one side only")
    facts = {"path": label, "a": sides[0], "b": sides[1], "counts": counts, "why_not": why_not, "change": change}
    return {**facts, **found.as_json()}


def _lines(a: SourceSide, b: SourceSide, label: str, counts: bool, with_lines: bool) -> LineDiff:
    files = a.files[label], b.files[label]
    if group_of(label) == CHANGED:
        return LineDiff(reason="it stands in source.patch of the runs")
    if not all(file.get("is_stored") for file in files):
        return LineDiff(reason="not stored in the runs: no Python file, or a large one")
    if not with_lines:
        return LineDiff(reason=f"not compared line by line: more than {_WITH_LINES} files differ")
    one, other = a.stored.get(label), b.stored.get(label)
    if one is None or other is None:
        return LineDiff(reason="not in the snapshot")
    found = line_diff(one, other, counts=counts)
    is_redacted = any(file.get("num_redacted") for file in files)
    if is_redacted and found.reason is not None:
        return LineDiff(reason="what is stored of them is equal: they differ in a secret that was left out")
    return found
