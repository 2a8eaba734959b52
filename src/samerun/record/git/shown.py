"""Whether the section of a file in a patch shows a secret, judged on the whole file before and after the change.

A secret that stands elsewhere in the file is not shown, and is no reason to leave the change out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from samerun.record.git.hunks import Side, hunks, is_binary
from samerun.record.scrub import clean_source, secret_lines

_NOT_LETTERS = re.compile(rb"\0|\xff\xfe|\xfe\xff")


def shows_secret(label: str, section: bytes, before: bytes | None, after: bytes | None) -> bool:
    """Whether a line of the section holds a secret, or a part of one.

    before, after: the file on either side, b"" where it is not there, None where it cannot be read: then what the
    section itself shows is judged.
    """
    if is_binary(section):
        sides = [side for side in (before, after) if side is not None]
        # Text of two bytes a letter may stand anywhere in a binary file.
        return len(sides) < 2 or any(clean_source(label, _NOT_LETTERS.sub(b"", side))[1] for side in sides)
    found = list(hunks(section))
    return (
        _shows(label, before, [hunk.old for hunk in found], [hunk.heading.strip() for hunk in found])
        or _shows(label, after, [hunk.new for hunk in found], [])
        or _is_secret_head(section)
    )


def shows_secret_itself(label: str, section: bytes) -> bool:
    """Whether the section of a file that is not here shows a secret, as far as its hunks tell."""
    found = list(hunks(section))
    return _is_secret_head(section) or any(
        _is_secret_part(label, [side.lines for side in sides])
        for sides in (
            [hunk.old for hunk in found],
            [hunk.new for hunk in found],
            [Side(1, (hunk.heading,)) for hunk in found],
        )
    )


def _shows(label: str, data: bytes | None, sides: list[Side], headings: list[bytes]) -> bool:
    lines = None if data is None else data.split(b"\n")
    if lines is None or any(not _stands_there(side, lines) for side in sides):
        # Written meanwhile, or converted by git.
        return _is_secret_part(label, [*(side.lines for side in sides), *((heading,) for heading in headings)])
    secret = secret_lines(label, data or b"")
    told = [lines[number - 1].strip() for number in secret]
    return any(not secret.isdisjoint(side.numbers) for side in sides) or any(
        heading in line for heading in headings if heading for line in told
    )


def _is_secret_part(label: str, parts: Iterable[Sequence[bytes]]) -> bool:
    return any(clean_source(label, b"\n".join((*lines, b"")))[1] for lines in parts)


def _stands_there(side: Side, lines: list[bytes]) -> bool:
    there = lines[side.first - 1 : side.first - 1 + len(side.lines)] if side.lines else []
    return [line.rstrip(b"\r") for line in there] == [line.rstrip(b"\r") for line in side.lines]


def _is_secret_head(section: bytes) -> bool:
    """Whether a name of a file, before the first hunk, is a secret."""
    head = section.partition(b"\n@@ ")[0]
    return clean_source("", head)[1] > 0
