"""Files that the rules of a project name: read and digested to be stored, or left out with a reason.

They are recorded and are no part of the identity. Which files a pattern means is in rules.py.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from samerun.base.digest import sha256
from samerun.errors import SamerunError
from samerun.record import left_out as limits
from samerun.record.git.names import spelled
from samerun.record.left_out import LeftOut
from samerun.record.reading import read_file
from samerun.record.rules import LOOKED_AT, Rules, included
from samerun.record.source import RULE, SourceFile


@dataclass(frozen=True)
class Ruled:
    """What the rules of a project name."""

    files: tuple[SourceFile, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def ruled_files(root: Path, rules: Rules, known: Collection[Path], skip: Path | None = None) -> Ruled:
    """Read what `rules` include in the project at `root`, other than the `known` modules and what lies in `skip`."""
    paths, is_all = included(root, rules, skip)
    found: list[SourceFile] = []
    gone: list[LeftOut] = []
    for path in paths:
        if path in known:
            continue
        one = _read(root, path)
        if isinstance(one, SourceFile):
            found.append(one)
        else:
            gone.append(one)
    sizes = [(file.label.encode("utf-8", "surrogateescape"), file.size_bytes) for file in found]
    over = {name.decode("utf-8", "surrogateescape") for name in limits.fitting(sizes, limits.ALL_LIMIT)}
    gone += [_gone(root, file.path or root, file.size_bytes, limits.TOO_MUCH) for file in found if file.label in over]
    if not is_all:
        reason = f"the rules look at more than {LOOKED_AT} names: what comes after them was not looked at"
        gone.append(LeftOut("[tool.samerun] include", None, reason, counts=True))
    return Ruled(tuple(file for file in found if file.label not in over), tuple(gone))


def _read(root: Path, path: Path) -> SourceFile | LeftOut:
    size, fault = limits.fault_of(path)
    if fault is None and path.is_symlink():
        fault = _fault_of_link(root, path)
        size = path.stat().st_size if fault is None else size
    if fault is None and "\\" in _label(root, path):
        fault = "a name that no snapshot can hold"
    if fault is None and limits.is_secret_name(path.name):
        fault = limits.SECRET_NAME
    if fault is None and (size or 0) > limits.FILE_LIMIT:
        fault = limits.TOO_LARGE
    if fault is not None:
        return _gone(root, path, size, fault)
    try:
        one = read_file(path)
    except SamerunError:
        return _gone(root, path, size, limits.UNREADABLE)
    digest = sha256(one.data)
    return SourceFile(
        group=RULE,
        label=_label(root, path),
        kind="bytes",
        meaning=digest,
        content=digest,
        size_bytes=len(one.data),
        path=path,
        text=one.data,
        why="rule",
        mode=one.mode,
        link=one.link,
        mark=one.mark,
    )


def _fault_of_link(root: Path, path: Path) -> str | None:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return "a link that leads nowhere, or in a circle"
    if not target.is_relative_to(root):
        return "a link that leaves the project"
    return None if target.is_file() else limits.NOT_PLAIN


def _gone(root: Path, path: Path, size: int | None, reason: str) -> LeftOut:
    label, why = _label(root, path), f"named by a rule: {reason}"
    return LeftOut(label, size, why, counts=True, place=path, is_secret=reason in limits.SECRETS)


def _label(root: Path, path: Path) -> str:
    return spelled(os.fsencode(path.relative_to(root)))
