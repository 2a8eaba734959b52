"""Untracked files that nothing names: told by name, size and digest, so that one can say what lay beside the code.

No more is looked at than a start has time for: of a folder the first files, and the folder itself for the others.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from samerun.record import left_out as limits
from samerun.record.git.names import spelled
from samerun.record.left_out import LeftOut
from samerun.record.rules import Rules

LISTED: Final = 500
"""Files that are named in all."""
REASON: Final = "untracked, and neither imported nor named by a rule"
MORE: Final = f"an untracked folder; no more than {LISTED} untracked files are named"
_PASSED_OVER: Final = frozenset({"__pycache__", ".git"})


def untracked_files(
    top: Path, paths: Sequence[bytes], known: Collection[Path], rules: Rules, root: Path, skip: Path | None
) -> tuple[LeftOut, ...]:
    """List what is untracked below `top`, by `paths` as git gave them, less what is `known` and what lies in `skip`."""
    left = LISTED
    rows: list[LeftOut] = []
    for name in paths:
        place = top / os.fsdecode(name)
        files = [place] if not name.endswith(b"/") else _below(place, skip, left + 1)
        kept = [path for path in files if path not in known and not _is_excluded(path, root, rules)]
        rows += [_row(top, path) for path in kept[: max(0, left)]]
        left -= len(kept)
        if left < 0:
            rows.append(LeftOut(spelled(name), None, MORE, counts=False))
            left = 0
    return tuple(rows)


def _below(folder: Path, skip: Path | None, most: int) -> list[Path]:
    found: list[Path] = []
    for path in _walk(folder, skip):
        found.append(path)
        if len(found) >= most:
            break
    return found


def _walk(folder: Path, skip: Path | None) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.name in _PASSED_OVER or path == skip:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(path, skip)
        else:
            yield path


def _is_excluded(path: Path, root: Path, rules: Rules) -> bool:
    return path.is_relative_to(root) and rules.excludes(path.relative_to(root).as_posix())


def _row(top: Path, path: Path) -> LeftOut:
    size, fault = limits.fault_of(path)
    label = spelled(os.fsencode(path.relative_to(top)))
    return LeftOut(label, size, REASON if fault is None else f"{REASON}; {fault}", counts=False, place=path)
