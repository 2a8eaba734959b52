"""What an audit answers with: findings with their place, what was silenced, what was not read, and the whole.

A rule yields a `Hit` (a node of the tree); scan.py gives it its place in a file. Plain values, no judgement here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from samerun.audit.names import Names

Grade = Literal["error", "warning"]
ERROR: Final = "error"
"""Two fresh processes on one machine differ, or foreign code runs."""
WARNING: Final = "warning"
"""They differ where something else holds too: another machine, another order of files, a kernel on a GPU."""


@dataclass(frozen=True)
class Hit:
    """What a rule saw at a node; `do` says more than the page of its code where something more is known."""

    code: str
    grade: Grade
    node: ast.AST
    what: str
    do: str | None = None


Rule: TypeAlias = "Callable[[Names], Iterator[Hit]]"
"""What one rule is: it reads the names of a file and yields what it saw."""


@dataclass(frozen=True)
class Finding:
    """One thing that breaks a run, at a place that an editor can go to: line and column count from 1."""

    path: str
    cell: int | None
    """Number of the code cell in a notebook, from 1; the line counts within the cell."""
    line: int
    column: int
    code: str
    grade: Grade
    what: str
    do: str

    @property
    def place(self) -> str:
        """The place as text: `path:line:column`, with the cell of a notebook."""
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{self.path}:{cell}{self.line}:{self.column}"

    def order(self) -> tuple[str, int, int, int, str, str]:
        """Return what findings are sorted by."""
        return (self.path, self.cell or 0, self.line, self.column, self.code, self.what)


@dataclass(frozen=True)
class Silenced:
    """A finding that a comment allows, and the reason it gives."""

    finding: Finding
    reason: str


@dataclass(frozen=True)
class Skipped:
    """A file or folder that was not read, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class Audit:
    """The answer: sorted findings, silenced ones with their reasons, how many files were read and what was not."""

    findings: tuple[Finding, ...]
    silenced: tuple[Silenced, ...]
    skipped: tuple[Skipped, ...]
    files: int

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def counts(self) -> dict[str, int]:
        """Return how many findings there are by code, sorted."""
        found: dict[str, int] = {}
        for finding in self.findings:
            found[finding.code] = found.get(finding.code, 0) + 1
        return dict(sorted(found.items()))

    def as_json(self) -> dict[str, Any]:
        """Return the fields of the document `samerun.audit/1`, without its schema."""
        return {
            "findings": [_finding(one) for one in self.findings],
            "counts": self.counts(),
            "files": self.files,
            "suppressed": [{**_finding(one.finding), "reason": one.reason} for one in self.silenced],
            "skipped": [{"path": one.path, "reason": one.reason} for one in self.skipped],
        }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "grade": finding.grade,
        "path": finding.path,
        "cell": finding.cell,
        "line": finding.line,
        "column": finding.column,
        "what": finding.what,
        "do": finding.do,
    }
