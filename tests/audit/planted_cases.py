"""Planted sources and their near-miss twins: `planted/<CODE>.txt` holds cases, each below `## found` or `## quiet`.

What is found is the code of the file and nothing else, or what the header adds after a plus: `## found +SR101: title`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "planted"
HEADER = re.compile(r"^## (found|quiet)((?: \+\w+)*): (.+)\n", re.M)


@dataclass(frozen=True)
class Case:
    """One source, and the codes that an audit of it finds."""

    code: str
    is_found: bool
    title: str
    text: str
    wanted: frozenset[str]


def cases(*codes: str) -> list[Case]:
    """Read the cases of some codes, in the order of the file."""
    return [case for code in codes for case in _read(code)]


def name(case: Case) -> str:
    return f"{case.code} {'found' if case.is_found else 'quiet'} {case.title}"


def every_code() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


def _read(code: str) -> list[Case]:
    parts = HEADER.split((FOLDER / f"{code}.txt").read_text("utf-8"))[1:]
    found = []
    for kind, extra, title, text in zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True):
        also = {word.removeprefix("+") for word in extra.split()}
        is_found = kind == "found"
        found.append(Case(code, is_found, title, text, frozenset(also | ({code} if is_found else set()))))
    return found
