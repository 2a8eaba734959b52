"""The difference of a whole work tree to its commit, as a patch that `git apply` takes, and what it leaves out and why.

Staged and unstaged changes, deleted files, mode bits, link targets and binary files are in it. A file that is too
large, cannot be read or holds a secret is left out whole, so that what is in the patch always applies.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from samerun.record import left_out as limits
from samerun.record.git.hunks import HEAD, sections
from samerun.record.git.names import in_patch, spelled
from samerun.record.git.shown import shows_secret
from samerun.record.git.tree import Change, TreeStatus, WorkTree
from samerun.record.left_out import LeftOut

_FLAGS: Final = (
    "--binary",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=all",
)


@dataclass(frozen=True)
class Patch:
    """What a work tree differs by from its commit."""

    data: bytes = b""
    changes: tuple[Change, ...] = ()
    """Whose difference is in it, by their paths from the top."""
    left_out: tuple[LeftOut, ...] = ()
    moved: tuple[str, ...] = ()
    """Paths that differ now and did not when they were listed."""


def patch_of(tree: WorkTree, status: TreeStatus, prefix: bytes = b"") -> Patch:
    """Give the patch of the tracked changes; `prefix` stands before each path (a submodule's place)."""
    files = [change for change in status.changes if change.is_tracked and not change.is_submodule]
    if not files:
        return Patch()
    faults = _faults(tree, files)
    data, reason = _diff(tree, status.commit, faults, prefix)
    if data is None:
        gone = [_left_out(tree, change, prefix, f"git gave no patch: {reason}") for change in files]
        return Patch(left_out=tuple(gone))
    texts = list(sections(data))
    heads = {_header(prefix + change.path): change for change in files}
    kept, secret = [], set()
    before = _blobs(tree, [change for change in files if change.path not in faults])
    for header, text in texts:
        change = heads.get(header)
        if change is not None and _holds_secret(tree, change, before, text):
            secret.add(change.path)
        else:
            kept.append(text)
    faults.update(dict.fromkeys(secret, limits.SECRET))
    return Patch(
        data=b"".join(kept),
        changes=tuple(replace(change, path=prefix + change.path) for change in files if change.path not in faults),
        left_out=tuple(
            _left_out(tree, change, prefix, faults[change.path]) for change in files if change.path in faults
        ),
        moved=tuple(sorted({header.decode("ascii", "replace") for header, _ in texts if header not in heads})),
    )


def _faults(tree: WorkTree, files: Sequence[Change]) -> dict[bytes, str]:
    """Say of each file that cannot stand in the patch why."""
    blobs = _blob_sizes(tree, files)
    faults: dict[bytes, str] = {}
    sizes = []
    for change in files:
        path = place_of(tree, change)
        size, fault = limits.fault_of(path)
        largest = max(size or 0, blobs.get(change.blob or "", 0))
        if fault is None and limits.is_secret_name(path.name):
            fault = limits.SECRET_NAME
        if fault is None and largest > limits.FILE_LIMIT:
            fault = limits.TOO_LARGE
        if fault is not None:
            faults[change.path] = fault
        else:
            sizes.append((change.path, largest))
    faults.update(dict.fromkeys(limits.fitting(sizes, limits.ALL_LIMIT), limits.TOO_MUCH))
    return faults


def place_of(tree: WorkTree, change: Change) -> Path:
    """Return where a changed path lies here."""
    return tree.top / os.fsdecode(change.path)


def _blob_sizes(tree: WorkTree, files: Sequence[Change]) -> dict[str, int]:
    names = sorted({change.blob for change in files if change.blob is not None})
    given = "".join(f"{name}\n" for name in names).encode()
    output, _ = (
        tree.git.ask("cat-file", "--batch-check=%(objectname) %(objectsize)", given=given) if names else (b"", None)
    )
    rows = [line.split() for line in (output or b"").decode("ascii", "replace").splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}


def _blobs(tree: WorkTree, files: Sequence[Change]) -> dict[str, bytes]:
    """Read what the commit has of each file; what git does not give is not in it."""
    names = sorted({change.blob for change in files if change.blob is not None})
    output, _ = (
        tree.git.ask("cat-file", "--batch", given=b"".join(name.encode() + b"\n" for name in names))
        if names
        else (b"", None)
    )
    found: dict[str, bytes] = {}
    rest, at = output or b"", 0
    for name in names:
        end = rest.find(b"\n", at)
        head = rest[at:end].split()
        at = end + 1
        if end < 0 or len(head) != 3 or not head[2].isdigit():
            continue
        found[name] = rest[at : at + int(head[2])]
        at += int(head[2]) + 1
    return found


def _diff(
    tree: WorkTree, commit: str | None, faults: dict[bytes, str], prefix: bytes
) -> tuple[bytes | None, str | None]:
    # Where nothing is committed yet, all that is staged is new.
    base = commit or tree.git.text("hash-object", "-t", "tree", os.devnull)
    if base is None:
        return None, "the repository cannot be read"
    places = [b":(exclude,literal)" + path for path in sorted(faults)]
    ends = (b"--src-prefix=a/" + prefix, b"--dst-prefix=b/" + prefix)
    return tree.git.ask("diff-index", "-p", *_FLAGS, *ends, base, "--", ".", *places)


def _header(path: bytes) -> bytes:
    return HEAD + in_patch(b"a/" + path) + b" " + in_patch(b"b/" + path)


def _holds_secret(tree: WorkTree, change: Change, blobs: Mapping[str, bytes], section: bytes) -> bool:
    before = b"" if change.blob is None else blobs.get(change.blob)
    return shows_secret(os.fsdecode(change.path), section, before, _now(place_of(tree, change)))


def _now(path: Path) -> bytes | None:
    try:
        return os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError:
        return None


def _left_out(tree: WorkTree, change: Change, prefix: bytes, reason: str) -> LeftOut:
    path = place_of(tree, change)
    size, is_secret = limits.fault_of(path)[0], reason in limits.SECRETS
    return LeftOut(spelled(prefix + change.path), size, reason, counts=True, place=path, is_secret=is_secret)
