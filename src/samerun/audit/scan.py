"""The verb `audit`: read Python sources and say what in them makes two runs differ. Nothing is imported or run.

The function lives here since the folder keeps the name. Rules are in their own files; comments that silence, allow.py.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from samerun.audit.allow import Allowance, allowances
from samerun.audit.files import find_files
from samerun.audit.finding import ERROR, WARNING, Audit, Finding, Grade, Hit, Silenced, Skipped
from samerun.audit.names import Names
from samerun.audit.notebook import Place, notebook
from samerun.audit.rules import RULES
from samerun.audit.source import Source, Unreadable, decoded, parsed, read_bytes
from samerun.errors import code_pages


def audit(*paths: str | os.PathLike[str]) -> Audit:
    """Scan Python files and notebooks, or all of them below a folder; equal files give an equal answer.

    Returns findings sorted by path, line, column and code. What could not be read is a finding (SR100), what was left
    out (hidden folders, environments, builds) is listed. Raises NoMatchError where there is nothing to read.
    """
    listing = find_files([Path(path) for path in paths])
    findings: list[Finding] = []
    silenced: list[Silenced] = []
    for path in listing.files:
        of_file = scan_file(path)
        findings += of_file.findings
        silenced += of_file.silenced
    findings.sort(key=Finding.order)
    silenced.sort(key=lambda one: one.finding.order())
    skipped = tuple(dict.fromkeys(listing.skipped))
    return Audit(tuple(findings), tuple(silenced), skipped, len(listing.files))


def scan_file(path: Path) -> Audit:
    """Scan one file, whatever it holds."""
    shown = path.as_posix()
    try:
        data = read_bytes(path)
        if path.suffix == ".ipynb":
            return _scan_notebook(data, shown)
        return scan_text(decoded(data), shown)
    except Unreadable as error:
        return _answer([_unread(shown, None, error.line, error.reason)], [])


def scan_text(text: str, path: str, places: Sequence[Place] | None = None) -> Audit:
    """Scan a text; `places` says for each of its lines where it stands in a notebook. Raises Unreadable."""
    source = parsed(text)
    try:
        names = Names(source.tree)
        hits = [hit for rule in RULES for hit in rule(names)]
    except RecursionError as error:
        raise Unreadable("it nests too deeply") from error
    allowed = allowances(source)
    used: set[Allowance] = set()
    findings: list[Finding] = []
    silenced: list[Silenced] = []
    for hit in dict.fromkeys(hits):
        finding = _Places(source, path, places).finding(hit)
        allowance = _allowing(hit, allowed)
        if allowance is not None:
            used.add(allowance)
            silenced.append(Silenced(finding, allowance.reason))
        else:
            findings.append(finding)
    spoken = _Places(source, path, places)
    findings += [spoken.of_comment(one, code, what) for one in allowed for code, what in _faults(one, one in used)]
    return _answer(findings, silenced)


def _scan_notebook(data: bytes, path: str) -> Audit:
    book = notebook(data)
    found = scan_text(book.text, path, book.places)
    unread = [_unread(path, place.cell, place.line, reason) for place, reason in book.unread]
    return _answer([*found.findings, *unread], found.silenced)


def _answer(findings: Sequence[Finding], silenced: Sequence[Silenced], skipped: Sequence[Skipped] = ()) -> Audit:
    return Audit(tuple(sorted(findings, key=Finding.order)), tuple(silenced), tuple(skipped), 1)


def _unread(path: str, cell: int | None, line: int, reason: str) -> Finding:
    return Finding(path, cell, line, 1, "SR100", ERROR, f"nothing can be said of this: {reason}", _advice("SR100"))


def _allowing(hit: Hit, allowed: Sequence[Allowance]) -> Allowance | None:
    first = getattr(hit.node, "lineno", 1)
    last = getattr(hit.node, "end_lineno", first) or first
    for one in allowed:
        if one.has_reason and hit.code in one.codes and first <= one.target <= last:
            return one
    return None


def _faults(one: Allowance, is_used: bool) -> list[tuple[str, str]]:
    unknown = [code for code in one.codes if code not in code_pages()]
    if not one.codes or unknown:
        named = ", ".join(unknown) or "none"
        return [("SR192", f"the comment names no code of an audit: {named}")]
    if not one.has_reason:
        return [("SR190", "the comment gives no reason, so it silences nothing")]
    return [] if is_used else [("SR191", f"nothing here is {' or '.join(one.codes)}: the comment silences nothing")]


def _advice(code: str) -> str:
    return code_pages()[code].do


@dataclass(frozen=True)
class _Places:
    """Gives what was seen in a text its place in the file."""

    source: Source
    path: str
    places: Sequence[Place] | None

    def finding(self, hit: Hit) -> Finding:
        line, column = self.source.place(hit.node)
        return self._at(line, column, hit.code, hit.grade, hit.what, hit.do)

    def of_comment(self, one: Allowance, code: str, what: str) -> Finding:
        return self._at(one.line, one.column, code, WARNING, what, None)

    def _at(self, line: int, column: int, code: str, grade: Grade, what: str, do: str | None) -> Finding:
        cell = None
        if self.places is not None and line <= len(self.places):
            cell, line = self.places[line - 1].cell, self.places[line - 1].line
        return Finding(self.path, cell, line, column, code, grade, what, do or _advice(code))
