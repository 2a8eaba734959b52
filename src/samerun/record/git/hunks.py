"""A patch taken apart: the section of each file, the hunks of a section, and each side of a hunk as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

HEAD: Final = b"diff --git "
_BINARY: Final = b"\nGIT binary patch\n"
_HUNK: Final = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")


@dataclass(frozen=True)
class Side:
    """What a hunk shows of a file, before or after."""

    first: int
    """Number of its first line."""
    lines: tuple[bytes, ...]

    @property
    def numbers(self) -> range:
        """Numbers of its lines."""
        return range(self.first, self.first + len(self.lines))


@dataclass(frozen=True)
class Hunk:
    """One place that has changed."""

    heading: bytes
    """Line of the old file that git repeats beside the numbers; b"" where there is none."""
    old: Side
    new: Side


def sections(patch: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Split a patch into (first line, whole text) of each file. No line of content begins as a first line does."""
    starts = [0] if patch.startswith(HEAD) else []
    at = patch.find(b"\n" + HEAD)
    while at >= 0:
        starts.append(at + 1)
        at = patch.find(b"\n" + HEAD, at + 1)
    for start, end in zip(starts, [*starts[1:], len(patch)], strict=False):
        piece = patch[start:end]
        yield piece.split(b"\n", 1)[0], piece


def is_binary(section: bytes) -> bool:
    """Whether a section holds no lines."""
    return _BINARY in section


def hunks(section: bytes) -> Iterator[Hunk]:
    """Read the hunks of a section by their own counts, so that no line of content is taken for a header."""
    lines = section.split(b"\n")
    at = 0
    while at < len(lines):
        head = _HUNK.fullmatch(lines[at])
        at += 1
        if head is None:
            continue
        num_old, num_new = int(head[2] or 1), int(head[4] or 1)
        old: list[bytes] = []
        new: list[bytes] = []
        while at < len(lines) and (len(old) < num_old or len(new) < num_new):
            sign, text = lines[at][:1], lines[at][1:]
            at += 1
            if sign in (b" ", b"-"):
                old.append(text)
            if sign in (b" ", b"+"):
                new.append(text)
        yield Hunk(head[5], Side(int(head[1]), tuple(old)), Side(int(head[3]), tuple(new)))
