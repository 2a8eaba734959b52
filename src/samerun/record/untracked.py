"""Untracked files that nothing names: told by name, size and digest, so that one can say what lay beside the code.

No more is looked at than a start has time for: of a folder the first files, and the folder itself for the others.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from samerun.record import left_out as limits
from samerun.record.git.names import spelled
from samerun.record.left_out import LeftOut
from samerun.record.rules import LOOKED_AT, Rules, entries_of

LISTED: Final = 500
"""Files that are named in all."""
REASON: Final = "untracked, and neither imported nor named by a rule"
MORE: Final = f"an untracked folder; no more than {LISTED} untracked files are named"


def untracked_files(
    top: Path, paths: Sequence[bytes], known: Collection[Path], rules: Rules, root: Path, skip: Path | None
) -> tuple[LeftOut, ...]:
    """List what is untracked below `top`, by `paths` as git gave them, less what is `known` and what lies in `skip`."""
    left, looked = LISTED, [LOOKED_AT]
    rows: list[LeftOut] = []
    for name in paths:
        place = top / os.fsdecode(name)
        files = [place] if not name.endswith(b"/") else list(islice(_below(place, skip, looked), left + 1))
        kept = [path for path in files if path not in known and not _is_excluded(path, root, rules)]
        rows += [_row(top, path) for path in kept[: max(0, left)]]
        left -= len(kept)
        if left < 0 or looked[0] <= 0:
            rows.append(LeftOut(spelled(name), None, MORE, counts=False))
            left = max(0, left)
    return tuple(rows)


def _below(folder: Path, skip: Path | None, looked: list[int]) -> Iterator[Path]:
    for entry in entries_of(folder, looked):
        path = Path(entry.path)
        if path == skip:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(path, skip, looked)
        else:
            yield path


def _is_excluded(path: Path, root: Path, rules: Rules) -> bool:
    return path.is_relative_to(root) and rules.excludes(path.relative_to(root).as_posix())


def _row(top: Path, path: Path) -> LeftOut:
    size, fault = limits.fault_of(path)
    label = spelled(os.fsencode(path.relative_to(top)))
    return LeftOut(label, size, REASON if fault is None else f"{REASON}; {fault}", counts=False, place=path)
