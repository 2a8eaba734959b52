"""What git knows about a project at one instant: commit, state, every change, its submodules, and the patch of all.

An unknown is None with a reason. What of it must be stored for a run is decided in record/capture.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from samerun.base.shareable import shareable_text
from samerun.record.git.ask import Git
from samerun.record.git.names import spelled
from samerun.record.git.patch import Patch, patch_of
from samerun.record.git.tree import (
    UNTRACKED,
    Change,
    Index,
    TreeStatus,
    WorkTree,
    index_of,
    nearest_repository,
    status_of,
    work_tree,
)
from samerun.record.left_out import LeftOut
from samerun.record.reading import Mark, mark_of

_LISTED: Final = 1000
_DEPTH: Final = 4
"""How deep submodules in submodules are followed."""


@dataclass(frozen=True)
class Submodule:
    """A repository inside of the work tree, at a commit that the outer one records."""

    path: str
    recorded: str | None
    """Commit that the outer repository's commit names."""
    commit: str | None
    """Commit that is checked out; None where it is not there."""
    changed: tuple[str, ...] = ()
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in source.json."""
        return {
            "path": self.path,
            "recorded": self.recorded,
            "commit": self.commit,
            "is_dirty": bool(self.changed),
            "changed": [shareable_text(entry) for entry in self.changed[:_LISTED]],
            "reason": self.reason,
        }


@dataclass(frozen=True)
class GitFacts:
    """State of the work tree around a project."""

    commit: str | None = None
    branch: str | None = None
    """None on a detached head."""
    remote: str | None = None
    """URL of `origin` without user, password and secret parameters."""
    changed: tuple[str, ...] = ()
    """Paths that are not as committed, with their two status letters; staged, unstaged, deleted and untracked alike."""
    states: tuple[str, ...] = ()
    """What is under way: a merge, a rebase, a cherry-pick, a revert, a bisection."""
    is_shallow: bool = False
    prefix: str = ""
    """Place of the project in the repository; empty at its top."""
    submodules: tuple[Submodule, ...] = ()
    filters: tuple[str, ...] = ()
    """Filters that are configured (git-lfs, for one), none of which was run."""
    reason: str | None = None
    """Why nothing, or not all, is known."""

    @property
    def is_dirty(self) -> bool:
        """Whether anything differs from the commit."""
        return bool(self.changed) or any(one.changed for one in self.submodules)

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in source.json."""
        return {
            "branch": None if self.branch is None else shareable_text(self.branch),
            "changed": [shareable_text(entry) for entry in self.changed[:_LISTED]],
            "commit": self.commit,
            "filters": list(self.filters),
            "is_dirty": self.is_dirty,
            "is_shallow": self.is_shallow,
            "num_changed": len(self.changed),
            "prefix": shareable_text(self.prefix),
            "reason": self.reason,
            "remote": self.remote,
            "states": list(self.states),
            "submodules": [one.as_json() for one in self.submodules],
        }


@dataclass(frozen=True)
class Survey:
    """All that was asked about the work tree around a project."""

    facts: GitFacts
    top: Path | None = None
    patch: Patch = field(default_factory=Patch)
    marks: Mapping[Path, Mark | None] = field(default_factory=dict)
    """Of the tracked files that differ, from before the patch was made."""
    dirty: frozenset[bytes] = frozenset()
    """Tracked paths that are not as committed, from the top."""
    untracked: tuple[bytes, ...] = ()
    """From the top; a folder that is untracked whole ends in a slash."""
    index: Index = field(default_factory=Index)


def survey(root: Path, skip: Path | None = None, deadline: float | None = None) -> Survey:
    """Ask git about the project in `root`; what lies in `skip` (the folder of runs) is no change."""
    root = root.resolve()
    until = Git.until() if deadline is None else deadline
    tree, reason = work_tree(root, until)
    if tree is None:
        return Survey(GitFacts(reason=reason), nearest_repository(root))
    status = status_of(tree)
    status = replace(status, changes=tuple(one for one in status.changes if not _is_skipped(tree, one, skip)))
    facts = GitFacts(
        commit=status.commit,
        branch=status.branch,
        remote=tree.remote,
        changed=status.lines,
        states=tree.states(),
        is_shallow=tree.is_shallow,
        prefix=_prefix(root, tree.top),
        filters=tree.git.filters,
        reason=status.reason,
    )
    if status.reason is not None:
        return Survey(facts, tree.top)
    # ORDER: the marks first; git reads the files for its patch after that.
    marks = _marks(tree, status)
    index = index_of(tree)
    inner = _submodules(tree, index, status, b"", _DEPTH)
    own = patch_of(tree, status)
    return Survey(
        facts=replace(facts, submodules=tuple(one.told for one in inner)),
        top=tree.top,
        patch=_joined([own, *(one.patch for one in inner)], _unwatched(tree, index)),
        marks={**marks, **{place: mark for one in inner for place, mark in one.marks.items()}},
        dirty=frozenset(change.path for change in status.changes if change.is_tracked),
        untracked=tuple(change.path for change in status.changes if change.status == UNTRACKED),
        index=index,
    )


def head_of(root: Path, deadline: float) -> str | None:
    """Give the commit that is checked out around `root` now; None where git does not say, or not until `deadline`."""
    nearest = nearest_repository(root.resolve())
    return None if nearest is None else Git(nearest, deadline).text("rev-parse", "--verify", "--quiet", "HEAD")


def _marks(tree: WorkTree, status: TreeStatus) -> dict[Path, Mark | None]:
    files = (change for change in status.changes if change.is_tracked and not change.is_submodule)
    places = (tree.top / os.fsdecode(change.path) for change in files)
    return {place: mark_of(place) for place in places}


def _prefix(root: Path, top: Path) -> str:
    inner = root.relative_to(top).as_posix()
    return "" if inner == "." else spelled(os.fsencode(inner))


def _is_skipped(tree: WorkTree, change: Change, skip: Path | None) -> bool:
    if skip is None or change.status != UNTRACKED:
        return False
    return (tree.top / os.fsdecode(change.path)).is_relative_to(skip)


@dataclass(frozen=True)
class _Inner:
    """What was asked of one submodule."""

    told: Submodule
    patch: Patch = field(default_factory=Patch)
    marks: Mapping[Path, Mark | None] = field(default_factory=dict)


def _submodules(tree: WorkTree, index: Index, status: TreeStatus, prefix: bytes, depth: int) -> list[_Inner]:
    """Ask each submodule about itself, and those inside of it."""
    outer = {change.path: change.blob for change in status.changes if change.is_submodule}
    rows: list[_Inner] = []
    for path in index.submodules if depth else ():
        recorded = outer[path] if path in outer else _recorded(tree, path)
        name, below = spelled(prefix + path), prefix + path + b"/"
        inner, reason = _checked_out(tree, tree.top / os.fsdecode(path))
        if inner is None:
            rows.append(_Inner(Submodule(name, recorded, None, (), reason)))
            continue
        own = status_of(inner)
        marks = _marks(inner, own)
        told = Submodule(name, recorded, own.commit, own.lines, own.reason)
        rows.append(_Inner(told, patch_of(inner, own, below), marks))
        rows += _submodules(inner, index_of(inner), own, below, depth - 1)
    return rows


def _recorded(tree: WorkTree, path: bytes) -> str | None:
    return tree.git.text("rev-parse", "--verify", "--quiet", f"HEAD:{os.fsdecode(path)}")


def _checked_out(tree: WorkTree, place: Path) -> tuple[WorkTree | None, str | None]:
    if not os.path.lexists(place / ".git"):
        return None, "it is not checked out"
    return work_tree(place, tree.git.deadline)


def _unwatched(tree: WorkTree, index: Index) -> list[LeftOut]:
    """Name the files that git was told not to look at and that are other than in the index."""
    if not index.unwatched:
        return []
    places = [(path, tree.top / os.fsdecode(path)) for path in index.unwatched]
    # No filter, and only what is a plain file: nothing else can be compared so.
    given = b"".join(path + b"\n" for path, place in places if place.is_file() and not place.is_symlink())
    output, _ = tree.git.ask("hash-object", "--no-filters", "--stdin-paths", given=given)
    staged, _ = tree.git.ask("ls-files", "-z", "-s", "--", *(b":(literal)" + path for path in index.unwatched))
    blobs = {entry.partition(b"\t")[2]: entry.split(b" ")[1] for entry in (staged or b"").split(b"\0") if entry}
    now = dict(zip(given.splitlines(), (output or b"").split(), strict=False))
    reason = "git was told to assume that it is unchanged, and it is not"
    return [
        LeftOut(spelled(path), place.stat().st_size if place.is_file() else None, reason, counts=True, place=place)
        for path, place in places
        if now.get(path) != blobs.get(path)
    ]


def _joined(patches: Sequence[Patch], more: Sequence[LeftOut]) -> Patch:
    return Patch(
        data=b"".join(patch.data for patch in patches),
        changes=tuple(change for patch in patches for change in patch.changes),
        left_out=(*(row for patch in patches for row in patch.left_out), *more),
        moved=tuple(path for patch in patches for path in patch.moved),
    )
