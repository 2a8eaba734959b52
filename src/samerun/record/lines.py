"""Two versions of one source file line by line: what changed where, cut to a few lines, and which of it counts.

A changed stretch counts when it alone, put into the first version, gives the file another meaning; comments and layout
do not. Pure; which files are compared is in judge/sources.py and run/drift.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import repeat
from typing import Any, Final

from samerun.record.meaning import Meaning, meaning_of

SHOWN: Final = 12
"""Lines of a file's difference that are kept; the others are counted."""
_CONTEXT: Final = 1
_COMPARED: Final = 4000
"""Lines between the first and the last that differ, of both sides together; more are not matched one by one."""
_WEIGHED: Final = 40
"""Changed stretches whose meaning is asked for; further ones count unasked."""
_WIDTH: Final = 160
_LEAD: Final = 40
"""Characters that are kept before the first that differs, in a line that is too long."""


@dataclass(frozen=True)
class Stretch:
    """Lines `a1:a2` of the first version became `b1:b2` of the second (from 0, end not included)."""

    a1: int
    a2: int
    b1: int
    b2: int

    @property
    def where(self) -> str:
        """Name the place in words, numbering from 1: by the second version, or the first where lines were removed."""
        first, end, what = (self.b1, self.b2, "changed") if self.b1 < self.b2 else (self.a1, self.a2, "removed")
        if self.a1 == self.a2:
            what = "added"
        lines = f"line {first + 1}" if end - first == 1 else f"lines {first + 1}-{end}"
        return f"{lines} {what}"


@dataclass(frozen=True)
class FirstLine:
    """The first line that counts, in both versions."""

    number: int
    """From 1: in the second version, or in the first where lines were removed."""
    old: str | None
    """None for a line that was added."""
    new: str | None
    """None for a line that was removed."""

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in `--json` and in drift.json."""
        return {"line": self.number, "old": self.old, "new": self.new}


@dataclass(frozen=True)
class LineDiff:
    """What differs between two versions."""

    where: str | None = None
    """The first place that counts: `line 31 changed`; None where no line can be named."""
    first: FirstLine | None = None
    """The first line of that place."""
    more: int = 0
    """Further places that count."""
    lines: tuple[str, ...] = ()
    """A unified difference, cut."""
    left_out: int = 0
    """Lines of it that were cut."""
    reason: str | None = None
    """Why there are no lines, where there are none."""

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in a row of the section `source`."""
        return {
            "where": self.where,
            "first": None if self.first is None else self.first.as_json(),
            "more": self.more,
            "lines": list(self.lines),
            "left_out": self.left_out,
            "reason": self.reason,
        }


def line_diff(a: bytes, b: bytes, *, counts: bool) -> LineDiff:
    """Compare two versions; `counts` says that their meanings differ, and then only what makes them do so is shown."""
    try:
        texts = a.decode("utf-8"), b.decode("utf-8")
    except UnicodeDecodeError:
        return LineDiff(reason="not a text")
    if "\0" in texts[0] or "\0" in texts[1]:
        return LineDiff(reason="not a text")
    left, right = (text.replace("\r\n", "\n").split("\n") for text in texts)
    if left == right:
        return LineDiff(reason="equal, or other line ends only")
    stretches = _stretches(left, right)
    if stretches is None:
        return LineDiff(reason=f"too many lines differ to be shown: {len(left)} in a, {len(right)} in b")
    shown = _counting(left, right, stretches, meaning_of(a)) if counts else stretches
    lines = [line for stretch in shown for line in _unified(left, right, stretch)]
    first = _first(left, right, shown[0], counts)
    return LineDiff(shown[0].where, first, len(shown) - 1, tuple(lines[:SHOWN]), max(0, len(lines) - SHOWN))


def _first(a: Sequence[str], b: Sequence[str], one: Stretch, counts: bool) -> FirstLine:
    at_a, at_b = (_code(a, one.a1, one.a2), _code(b, one.b1, one.b2)) if counts else (one.a1, one.b1)
    while at_a < one.a2 and at_b < one.b2 and a[at_a] == b[at_b]:
        at_a, at_b = at_a + 1, at_b + 1
    begin = _begin(a[at_a], b[at_b]) if at_a < one.a2 and at_b < one.b2 else 0
    old = _cut(a[at_a], begin) if at_a < one.a2 else None
    new = _cut(b[at_b], begin) if at_b < one.b2 else None
    return FirstLine(1 + (at_b if new is not None else at_a), old, new)


def _code(lines: Sequence[str], start: int, end: int) -> int:
    """Return the first line of a stretch that is no comment and not empty; its beginning where all are."""
    found = (at for at in range(start, end) if lines[at].strip() and not lines[at].lstrip().startswith("#"))
    return next(found, start)


def _cut(line: str, begin: int = 0, sign: str = "") -> str:
    shown = f"{sign}...{line[begin:]}" if begin else sign + line
    return shown if len(shown) <= _WIDTH else f"{shown[: _WIDTH - 3]}..."


def _begin(old: str, new: str) -> int:
    """Return where to begin with two long versions of a line, so that what differs is seen."""
    shorter = min(len(old), len(new))
    alike = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), shorter)
    return alike - _LEAD if max(len(old), len(new)) > _WIDTH and alike > _WIDTH // 2 else 0


def _stretches(a: Sequence[str], b: Sequence[str]) -> list[Stretch] | None:
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    inner_a, inner_b = a[start : len(a) - end], b[start : len(b) - end]
    if len(inner_a) + len(inner_b) > _COMPARED:
        return None
    blocks = SequenceMatcher(None, inner_a, inner_b).get_opcodes()
    return [Stretch(start + a1, start + a2, start + b1, start + b2) for op, a1, a2, b1, b2 in blocks if op != "equal"]


def _counting(a: Sequence[str], b: Sequence[str], stretches: Sequence[Stretch], whole: Meaning) -> list[Stretch]:
    """List the stretches that give the file another meaning; all of them where none does so alone."""
    weighed = [one for one in stretches[:_WEIGHED] if _moves_meaning(a, b, one, whole)]
    return [*weighed, *stretches[_WEIGHED:]] or list(stretches)


def _moves_meaning(a: Sequence[str], b: Sequence[str], one: Stretch, whole: Meaning) -> bool:
    text = "\n".join([*a[: one.a1], *b[one.b1 : one.b2], *a[one.a2 :]])
    return meaning_of(text.encode("utf-8")).code != whole.code


def _unified(a: Sequence[str], b: Sequence[str], one: Stretch) -> Iterator[str]:
    yield f"@@ -{_range(one.a1, one.a2)} +{_range(one.b1, one.b2)} @@"
    old, new = a[one.a1 : one.a2], b[one.b1 : one.b2]
    begins = [*(_begin(*pair) for pair in zip(old, new, strict=False)), *repeat(0, abs(len(old) - len(new)))]
    yield from (_cut(f" {line}") for line in a[max(0, one.a1 - _CONTEXT) : one.a1])
    yield from (_cut(line, begin, "-") for line, begin in zip(old, begins, strict=False))
    yield from (_cut(line, begin, "+") for line, begin in zip(new, begins, strict=False))
    yield from (_cut(f" {line}") for line in a[one.a2 : one.a2 + _CONTEXT] if line)


def _range(first: int, end: int) -> str:
    return f"{first + 1},{end - first}" if end > first else f"{first},0"
