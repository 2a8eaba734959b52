"""Whether something secret is left in what is about to leave: a second look at every text, before a bundle is made.

A run is recorded without secrets; here each text is judged again by the same rules, since what leaves cannot be called
back. What a secret looks like is base/redact.py's to say, how source is judged record/scrub.py's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from samerun.base.redact import is_secret_text, redact
from samerun.errors import RefusedError
from samerun.record import layout
from samerun.record.bundle.members import Member, read_blocks
from samerun.record.bundle.names import RUN
from samerun.record.git.hunks import HEAD, sections
from samerun.record.git.shown import shows_secret_itself
from samerun.record.scrub import clean_source
from samerun.record.snapshot import read_tar
from samerun.record.source_names import OWN

_PLAIN: Final = re.compile(r"(sha256:|xxh3:)?[0-9a-f]*")
_OWN: Final = f"{OWN}/"
"""Our own source in a snapshot: public, and its patterns for secrets look like secrets."""


def check_leaks(member: Member) -> None:
    """Raise RefusedError SR-BUNDLE-005, naming member and line, where a text of a run still holds a secret."""
    name = member.name.removeprefix(RUN)
    if not member.name.startswith(RUN):
        return  # data are what their owner gave; the crate and the index are made of documents that were looked at
    for line, where in _found(name, member):
        raise RefusedError(
            "SR-BUNDLE-005",
            f"{name} holds what looks like a secret",
            evidence=[f"line {line}{f', {where}' if where else ''} (its text is not shown)"],
            do="look at it; take the secret out of where it came from, record the run again, and withdraw the secret",
        )


def _found(name: str, member: Member) -> Iterator[tuple[int, str]]:
    if name == layout.SOURCE_FILES:
        yield from _in_snapshot(_bytes(member))
    elif name == layout.SOURCE_PATCH:
        yield from _in_patch(_bytes(member))
    elif name.endswith(".jsonl"):
        yield from _in_rows(member)
    elif name.endswith(".json"):
        yield from ((1, where) for where in _in_document(name, json.loads(_bytes(member))))
    elif name.startswith("recipe.submitted."):
        yield from _in_lines(_bytes(member))


def _bytes(member: Member) -> bytes:
    return b"".join(member.blocks())


def _in_snapshot(data: bytes) -> Iterator[tuple[int, str]]:
    for label, text in read_tar(data, layout.SOURCE_FILES).items():
        clean, count = (text, 0) if label.startswith(_OWN) else clean_source(label, text)
        if count:
            yield _first_other(text, clean), label


def _in_patch(data: bytes) -> Iterator[tuple[int, str]]:
    """Judge each file of a patch by what it shows; the whole files were judged when it was made."""
    start = data.find(HEAD) if data.startswith(HEAD) else max(data.find(b"\n" + HEAD) + 1, 0)
    before = data[:start] if HEAD in data else data
    if clean_source("", before)[1]:
        yield 1, ""
    line = 1 + before.count(b"\n")
    for header, section in sections(data):
        label = header.rpartition(b" b/")[2].rstrip(b'"').decode("utf-8", "replace")
        if shows_secret_itself(label, section):
            yield line, label
        line += section.count(b"\n")


def _first_other(a: bytes, b: bytes) -> int:
    pairs = zip(a.splitlines(), b.splitlines(), strict=False)
    return next((number for number, (one, other) in enumerate(pairs, 1) if one != other), 1)


def _in_lines(data: bytes) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if is_secret_text(line):
            yield number, ""


def _in_rows(member: Member) -> Iterator[tuple[int, str]]:
    for number, row in enumerate(_lines(member), 1):
        if any(_is_secret(text) for text in _row_texts(row)):
            yield number, ""


def _row_texts(row: bytes) -> Iterator[str]:
    try:
        yield from _texts(json.loads(row))
    except ValueError:
        yield row.decode("utf-8", "replace")  # the last row of a run that was killed


def _lines(member: Member) -> Iterator[bytes]:
    """Yield the rows of a log, whole ones, without holding the log."""
    assert isinstance(member.path, Path)
    begun: list[bytes] = []
    for block in read_blocks(member.path):
        first, *lines = block.split(b"\n")
        begun.append(first)
        if lines:
            yield b"".join(begun)
            yield from lines[:-1]
            begun = [lines[-1]]
    if rest := b"".join(begun):
        yield rest


def _in_document(name: str, document: Any) -> Iterator[str]:
    # Settings and arguments were judged by the names beside them; elsewhere a name is a package, a file or a metric.
    if name == layout.CONFIG:
        yield from redact(document.get("values"))[1]
    if name == layout.MANIFEST:
        yield from redact({"argv": document["entry"]["argv"]})[1]
    if any(_is_secret(text) for text in _texts(document)):
        yield ""


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for key, item in node.items():
            yield key
            yield from _texts(item)
    elif isinstance(node, list):
        for item in node:
            yield from _texts(item)


@lru_cache(maxsize=4096)
def _is_secret(text: str) -> bool:
    return _PLAIN.fullmatch(text) is None and is_secret_text(text)
