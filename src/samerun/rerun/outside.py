"""What a setting names outside the recipe: files and folders, of which a copy at another place must change no number.

Of URLs, devices, hub ids and what is too large there is no copy: the reason is said. Which settings are asked about,
and what becomes of the answer, is flips.py's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from samerun.base import files
from samerun.base.text import human_bytes
from samerun.config.values import Secret
from samerun.trainers.supervised.tasks.places import INSIDE, place_of

MOST_BYTES: Final = 1 << 30
MOST_FILES: Final = 20_000
NAMES: Final = (
    "cache",
    "device",
    "devices",
    "dir",
    "directory",
    "endpoint",
    "file",
    "files",
    "folder",
    "folders",
    "host",
    "hub",
    "path",
    "paths",
    "repo",
    "root",
    "socket",
    "uri",
    "url",
)
"""Last words of the names of settings that say where something is."""
DEVICE: Final = re.compile(r"(cpu|cuda|hip|hpu|meta|mps|tpu|xla|xpu)(:\d+)?")
HUB_ID: Final = re.compile(r"[\w-][\w.-]*/[\w.-]+")


@dataclass(frozen=True)
class Outside:
    """The files and folders that a setting names, or why there can be no copy of what it names."""

    places: tuple[Path, ...] = ()
    reason: str | None = None


def outside_of(path: str, value: Any, root: Path | None) -> Outside | None:
    """Return what a setting names outside; null for one that names nothing there. Relative paths start at `root`."""
    if isinstance(value, Secret):
        return Outside(reason="it says where a secret is read from")
    texts = [
        str(one) for one in (value if isinstance(value, tuple | list) else (value,)) if isinstance(one, str | Path)
    ]
    says_where = re.split(r"[._]", path)[-1] in NAMES
    if not texts:
        reason = f"it says where something is, and is {'not set' if value is None else value}"
        return Outside(reason=reason) if says_where else None
    places = [place_of(text, root) for text in texts]
    if all(text.strip("./") and place.exists() for text, place in zip(texts, places, strict=True)):
        return Outside(tuple(places), _too_much(places))
    kinds = [kind for kind in map(_kind, texts) if kind is not None]
    if not kinds and not says_where:
        return None
    return Outside(reason=f"it names {kinds[0] if kinds else 'something'} outside, of which no copy can be made")


def copies_of(places: Sequence[Path], folder: Path) -> tuple[tuple[Path, Path], ...]:
    """Return for each place where its copy goes below `folder`: under its own name, which is part of the identity."""
    return tuple((place, folder / str(number) / place.name) for number, place in enumerate(places))


def lay(copies: Sequence[tuple[Path, Path]]) -> None:
    """Make the copies, as further names of the same files where that is possible."""
    for source, target in copies:
        files.make_dir(target.parent)
        if not source.is_dir():
            files.link(source.resolve(), target)
            continue
        files.make_dir(target)
        for file in _files(source):
            files.make_dir((target / file.relative_to(source)).parent)
            files.link(file.resolve(), target / file.relative_to(source))


def _kind(text: str) -> str | None:
    if "://" in text:
        return "a URL"
    if DEVICE.fullmatch(text):
        return "a device"
    if text.startswith(("/", "./", "../", "~", INSIDE)) or "\\" in text:
        return "a path that is not here"
    return "a hub id or a path" if HUB_ID.fullmatch(text) else None


def _too_much(places: Sequence[Path]) -> str | None:
    size, number = 0, 0
    for place in places:
        for file in _files(place):
            size, number = size + file.stat().st_size, number + 1
            if number > MOST_FILES:
                return f"its data is more than {MOST_FILES} files"
    return f"its data is {human_bytes(size)}" if size > MOST_BYTES else None


def _files(place: Path) -> Iterator[Path]:
    if not place.is_dir():
        yield place
        return
    for folder, folders, names in os.walk(place, followlinks=True):
        folders.sort()
        yield from (Path(folder) / name for name in sorted(names) if (Path(folder) / name).is_file())
