"""Names inside a bundle: what lies where, and which names no bundle may hold. Reads and writes nothing.

A name is a relative path with forward slashes that means the same file on every system. Which files of a run folder
may leave it is leaving.py's to say.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

INDEX: Final = "bundle.json"
"""The first member: size and SHA-256 of every other one."""
CRATE: Final = "ro-crate-metadata.json"
"""What it is, in words that other tools read (RO-Crate)."""
RUN: Final = "run/"
"""The run folder, without what is of its machine alone."""
DATA: Final = "data/"
"""Data files, by their path in the project."""
FORMAT: Final = 1

NAME_BYTES: Final = 1024
PART_BYTES: Final = 255
DEPTH: Final = 32
MEMBERS: Final = 200_000
_SPECIAL: Final = frozenset('\\:*?"<>|')


def name_fault(name: str) -> str | None:
    """Say why a name cannot stand in a bundle; None where it can."""
    parts = name.split("/")
    if not name or name.startswith("/") or any(part in ("", ".", "..") for part in parts):
        return "it is no plain relative path"
    if not _SPECIAL.isdisjoint(name) or any(ord(letter) < 32 or ord(letter) == 127 for letter in name):
        return "it holds a character that means something else elsewhere"
    if not _is_unicode(name):
        return "it is no Unicode text"
    if len(name.encode()) > NAME_BYTES or any(len(part.encode()) > PART_BYTES for part in parts):
        return "it is too long"
    if len(parts) > DEPTH:
        return f"it is nested deeper than {DEPTH} folders"
    if any(part.endswith((".", " ")) for part in parts):
        return "it is another name on some systems"
    return None


def _is_unicode(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def twins(names: Iterable[str]) -> tuple[str, str] | None:
    """Return two names that are one on a system that folds case or Unicode forms, or one that is a folder of another.

    None where there are no such two.
    """
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    for name in names:
        folded = _folded(name)
        if folded in files:
            return files[folded], name
        files[folded] = name
        while "/" in folded:
            folded = folded.rpartition("/")[0]
            folders.setdefault(folded, name)
    both = min(files.keys() & folders.keys(), default=None)
    return None if both is None else (files[both], folders[both])


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
