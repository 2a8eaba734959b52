"""Where the data of a run lies on this machine: files whose content is still the one that the run recorded.

A record holds digests and names of its inputs, not where they were; they are looked for where the settings say, in the
project and in the working folder of the run, and taken only if the digest is the recorded one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from samerun.base.text import human_bytes
from samerun.data.scan import Found, scan
from samerun.errors import SamerunError
from samerun.record.bundle.marker import brought
from samerun.record.bundle.names import name_fault
from samerun.record.local import local_facts
from samerun.record.reader import RunRecord
from samerun.run.inputs import Inputs

LIMIT_BYTES: Final = 1 << 30
"""Most that all data of a bundle may hold, unless another limit is given."""
_INPUT: Final = "input/"
_NUMBER: Final = re.compile(r"-[0-9]+$")
"""Behind the name of a further input that is called alike."""


@dataclass(frozen=True)
class FoundData:
    """One input and its files: path in the bundle's data folder -> where it lies here."""

    name: str
    files: Mapping[str, Path]


@dataclass(frozen=True)
class Data:
    """All inputs that were found, and a line for each that was left out."""

    found: tuple[FoundData, ...] = ()
    left_out: tuple[str, ...] = ()


def find_data(record: RunRecord, limit_bytes: int = LIMIT_BYTES) -> Data:
    """Find the data files of a run that still are what it read, up to `limit_bytes` of all together."""
    found: list[FoundData] = []
    left_out: list[str] = []
    left = limit_bytes
    for name, digest in sorted(record.identity.experiment.get("inputs", {}).items()):
        if not name.startswith(_INPUT):
            left_out.append(f"{name}: it was in memory, not in a file")
            continue
        size, one = _find(record, name, str(digest), left)
        if one is None:
            far = f"it holds {human_bytes(size)} and {human_bytes(left)} of {human_bytes(limit_bytes)} are left"
            left_out.append(f"{name}: {far if size > left else 'nothing here has the content that the run read'}")
            continue
        fault = next((f"{path!r}: {why}" for path in one.files if (why := name_fault(path))), None)
        if fault is not None:
            left_out.append(f"{name}: {fault}")
            continue
        found.append(one)
        left -= size
    return Data(tuple(found), tuple(left_out))


def _find(record: RunRecord, name: str, digest: str, left: int) -> tuple[int, FoundData | None]:
    """Return the bytes of the largest place that did not fit, and the input where its content is the recorded one."""
    largest = 0
    for label, path in _candidates(record, name.removeprefix(_INPUT)):
        files = _files(path)
        size = sum(file.size for file in files)
        if size > left:
            largest = max(largest, size)
        elif digest in _digests(path):
            inside = {f"{label}/{file.id}": Path(file.path) for file in files}
            return size, FoundData(name, {label: path} if path.is_file() else inside)
    return largest, None


def _files(path: Path) -> list[Found]:
    """List what the digest of a file or folder covers: links are followed, as by the program that reads it."""
    try:
        return scan(path, follow_links=True).files
    except (SamerunError, OSError):
        return []


def _digests(path: Path) -> list[str]:
    """Digest a file or folder as a run digests its inputs."""
    inputs = Inputs()
    try:
        inputs.add_path(str(path), revision=None, is_entered=False)
    except (SamerunError, OSError):
        return []
    return list(inputs.facts.values())


def _candidates(record: RunRecord, name: str) -> Iterator[tuple[str, Path]]:
    """Yield (path in the project, place here) of everything that is called like the input."""
    local = local_facts(record)
    folders = [Path(str(local[key])) for key in ("root", "cwd") if key in local]
    names = dict.fromkeys((name, _NUMBER.sub("", name)))
    for text in dict.fromkeys([*_texts(record.config.values), *_texts(local), *names]):
        if PurePosixPath(text).name not in names:
            continue
        label = text if name_fault(text) is None else PurePosixPath(text).name
        if (came := brought(record.folder, text)) is not None:
            yield label, came
        for folder in folders:
            yield from ((label, place) for place in (folder / text, folder / label) if _is_there(place))


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a folder that may not be looked into, a path that is too long
        return False


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping):
        for _, item in sorted(node.items()):
            yield from _texts(item)
    elif isinstance(node, list | tuple):
        for item in node:
            yield from _texts(item)
