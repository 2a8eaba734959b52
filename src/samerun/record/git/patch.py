"""The difference of a whole work tree to its commit, as a patch that `git apply` takes, and what it leaves out and why.

Staged and unstaged changes, deleted files, mode bits, link targets and binary files are in it. A file that is too
large, cannot be read or holds a secret is left out whole, so that what is in the patch always applies.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from samerun.base.redact import is_secret_text
from samerun.record import left_out as limits
from samerun.record.git.names import in_patch, spelled
from samerun.record.git.tree import Change, TreeStatus, WorkTree
from samerun.record.left_out import LeftOut
from samerun.record.scrub import secrets_in, text_of

_FLAGS: Final = (
    "--binary",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=all",
)
_HEAD: Final = b"diff --git "


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
    sections = _sections(data)
    heads = {_header(prefix + change.path): change for change in files}
    olds = _blobs(tree, [change for change in files if change.path not in faults])
    kept, secret = [], set()
    for header, text in sections:
        change = heads.get(header)
        if change is not None and _holds_secret(tree, change, text, olds.get(change.blob or "", b"")):
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
        moved=tuple(sorted({header.decode("ascii", "replace") for header, _ in sections if header not in heads})),
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


def _sections(patch: bytes) -> list[tuple[bytes, bytes]]:
    """Split a patch into (first line, whole text) of each file. No line of content begins as a first line does."""
    found: list[tuple[bytes, bytes]] = []
    for piece in _pieces(patch):
        found.append((piece.split(b"\n", 1)[0], piece))
    return found


def _pieces(patch: bytes) -> Iterator[bytes]:
    starts = [0] if patch.startswith(_HEAD) else []
    at = patch.find(b"\n" + _HEAD)
    while at >= 0:
        starts.append(at + 1)
        at = patch.find(b"\n" + _HEAD, at + 1)
    for start, end in zip(starts, [*starts[1:], len(patch)], strict=False):
        yield patch[start:end]


def _header(path: bytes) -> bytes:
    return _HEAD + in_patch(b"a/" + path) + b" " + in_patch(b"b/" + path)


def _holds_secret(tree: WorkTree, change: Change, section: bytes, old: bytes) -> bool:
    """Whether what a patch shows of a file, of its old bytes or of its new ones, holds a secret."""
    path = place_of(tree, change)
    if b"\nGIT binary patch\n" in section:
        return any(is_secret_text(text_of(data)[0].replace("\0", "")) for data in (old, _now(path)))
    if is_secret_text(text_of(section)[0]):
        return True
    # What the snapshot would leave out by the name of a literal must not stand here either.
    return path.suffix == ".py" and any(piece in section for data in (old, _now(path)) for piece in secrets_in(data))


def _now(path: Path) -> bytes:
    try:
        return b"" if path.is_symlink() else path.read_bytes()
    except OSError:
        return b""


def _blobs(tree: WorkTree, files: Sequence[Change]) -> dict[str, bytes]:
    """Read what the commit has of files."""
    names = sorted({change.blob for change in files if change.blob is not None})
    output, _ = tree.git.ask("cat-file", "--batch", given="".join(f"{name}\n" for name in names).encode())
    rest, found = output or b"", {}
    while rest:
        head, _, rest = rest.partition(b"\n")
        words = head.split()
        if len(words) == 3:
            size = int(words[2])
            found[words[0].decode("ascii")] = rest[:size]
            rest = rest[size + 1 :]
    return found


def _left_out(tree: WorkTree, change: Change, prefix: bytes, reason: str) -> LeftOut:
    path = place_of(tree, change)
    size, is_secret = limits.fault_of(path)[0], reason in limits.SECRETS
    return LeftOut(spelled(prefix + change.path), size, reason, counts=True, place=path, is_secret=is_secret)
