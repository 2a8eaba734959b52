"""The work tree around a folder: where it is, what holds its history, which state it is in, what has changed in it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from samerun.base.places import LOCAL_PATH
from samerun.base.redact import strip_userinfo
from samerun.record.git.ask import DAMAGED, NO_REPOSITORY, Git
from samerun.record.git.names import spelled

GITLINK: Final = "160000"
UNTRACKED: Final = "??"
_STATES: Final = (
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("BISECT_LOG", "bisect"),
)
_CONFIG: Final = r"^(remote\.origin\.url|filter\..*)$"


@dataclass(frozen=True)
class WorkTree:
    """A work tree that git knows."""

    top: Path
    git_dir: Path
    git: Git
    is_shallow: bool
    remote: str | None
    """URL of `origin` without user, password and secret parameters."""

    def states(self) -> tuple[str, ...]:
        """List what is under way in it: `merge`, `rebase`, `cherry-pick`, `revert`, `bisect`."""
        return tuple(dict.fromkeys(word for name, word in _STATES if os.path.lexists(self.git_dir / name)))

    def head(self) -> str | None:
        """Give the commit that is checked out; None in a repository without one."""
        return self.git.text("rev-parse", "--verify", "--quiet", "HEAD")


@dataclass(frozen=True)
class Change:
    """One path that is not as committed."""

    path: bytes
    """From the top of the work tree; a folder that is untracked whole ends in a slash."""
    status: str
    """Two letters: of the index and of the work tree, as `git status --short` has them."""
    modes: tuple[str, str] = ("000000", "000000")
    """In the commit and in the work tree."""
    blob: str | None = None
    """What the commit has there, as git names it."""

    @property
    def line(self) -> str:
        """Spell it as in `git status --short`."""
        return f"{self.status} {spelled(self.path)}"

    @property
    def is_tracked(self) -> bool:
        """Whether git knows the path."""
        return self.status != UNTRACKED

    @property
    def is_submodule(self) -> bool:
        """Whether it is another commit of a submodule, and no file."""
        return GITLINK in self.modes


def nearest_repository(folder: Path) -> Path | None:
    """Return the nearest folder at or above `folder` that has a `.git`, as a folder or as the file of a worktree."""
    return next((one for one in (folder, *folder.parents) if os.path.lexists(one / ".git")), None)


def work_tree(folder: Path, deadline: float) -> tuple[WorkTree | None, str | None]:
    """Find the work tree around `folder`, or say why there is none that can be asked."""
    nearest = nearest_repository(folder)
    if nearest is None:
        return None, NO_REPOSITORY
    git = Git(nearest, deadline)
    words = ("--is-shallow-repository", "--absolute-git-dir", "--show-toplevel")
    output, reason = git.ask("rev-parse", *words)
    if output is None:
        return None, reason
    lines = output.split(b"\n")
    if len(lines) != len(words) + 1:
        return None, "a folder above it has a line break in its name"
    top = Path(os.fsdecode(lines[2]))
    if top.resolve() != nearest.resolve():
        # git passes over a repository that it cannot read, and finds one further up; or core.worktree leads away.
        return None, DAMAGED if nearest.is_relative_to(top) else "its work tree lies elsewhere (core.worktree)"
    filters, remote = _configured(git)
    if any("=" in name or "\n" in name for name in filters):
        return None, "a filter has a name that cannot be put out of force"
    told = None if remote is None else _told(remote)
    tree = WorkTree(nearest, Path(os.fsdecode(lines[1])), replace(git, filters=filters), lines[0] == b"true", told)
    return tree, None


def _configured(git: Git) -> tuple[tuple[str, ...], str | None]:
    """Read the names of all filters, and the remote; reading the configuration runs nothing."""
    output, _ = git.ask("config", "-z", "--get-regexp", _CONFIG)
    pairs = [entry.decode("utf-8", "replace").partition("\n") for entry in (output or b"").split(b"\0") if entry]
    names = {key[len("filter.") :].rpartition(".")[0] for key, _, _ in pairs if key.startswith("filter.")}
    remotes = [value for key, _, value in pairs if key == "remote.origin.url"]
    return tuple(sorted(names - {""})), remotes[-1] if remotes else None


def _told(url: str) -> str:
    # A remote on this machine would tell its folders.
    return LOCAL_PATH if url.startswith(("/", ".", "~", "file:")) else strip_userinfo(url)


@dataclass(frozen=True)
class TreeStatus:
    """What is checked out, and every path that is not as committed: staged, unstaged, deleted, untracked."""

    commit: str | None
    """None in a repository without a commit."""
    branch: str | None
    """None on a detached head."""
    changes: tuple[Change, ...] = ()
    reason: str | None = None
    """Why the changes are unknown."""

    @property
    def lines(self) -> tuple[str, ...]:
        """Spell the changes as in `git status --short`."""
        return tuple(change.line for change in self.changes)


def status_of(tree: WorkTree) -> TreeStatus:
    """Ask what is checked out and what has changed."""
    # What lies inside of a submodule is asked of the submodule: git would run its configuration.
    words = ("--branch", "--no-renames", "--no-ahead-behind", "--untracked-files=normal", "--ignore-submodules=dirty")
    output, reason = tree.git.ask("status", "--porcelain=v2", "-z", *words)
    if output is None:
        branch = tree.git.text("symbolic-ref", "--quiet", "--short", "HEAD")
        return TreeStatus(tree.head(), branch, (), reason)
    entries = output.split(b"\0")
    heads = [entry.decode("utf-8", "replace").split(" ", 2) for entry in entries if entry.startswith(b"# branch.")]
    told = {head[1]: head[2] for head in heads if len(head) == 3}
    commit, branch = told.get("branch.oid", ""), told.get("branch.head", "")
    return TreeStatus(
        commit=None if commit in ("", "(initial)") else commit,
        branch=None if branch in ("", "(detached)") else branch,
        changes=tuple(_parsed(entries)),
    )


def _parsed(entries: Sequence[bytes]) -> Iterator[Change]:
    """Read `git status --porcelain=v2 -z --no-renames`."""
    for entry in entries:
        kind, _, rest = entry.partition(b" ")
        if kind == b"?":
            yield Change(rest, UNTRACKED)
        elif kind == b"1":
            status, _, head, _, work, blob, _, path = rest.split(b" ", 7)
            yield _change(path, status, head, work, blob)
        elif kind == b"u":
            status, _, _, ours, _, work, _, blob, _, path = rest.split(b" ", 9)
            yield _change(path, status, ours, work, blob)


def _change(path: bytes, status: bytes, head: bytes, work: bytes, blob: bytes) -> Change:
    letters, name = status.decode("ascii").replace(".", " "), blob.decode("ascii")
    return Change(path, letters, (head.decode("ascii"), work.decode("ascii")), name if name.strip("0") else None)


@dataclass(frozen=True)
class Index:
    """What git tracks: paths, the submodules among them, and those that it was told not to look at."""

    paths: frozenset[bytes] = frozenset()
    submodules: tuple[bytes, ...] = ()
    unwatched: tuple[bytes, ...] = ()
    """Marked `assume-unchanged`: `git status` says nothing of them, whatever happens to them."""


def index_of(tree: WorkTree) -> Index:
    """Read the index; an empty one where it cannot be read."""
    output, _ = tree.git.ask("ls-files", "-z", "-s", "-v")
    rows = [entry.partition(b"\t") for entry in (output or b"").split(b"\0") if entry]
    return Index(
        paths=frozenset(path for _, _, path in rows),
        submodules=tuple(sorted(path for head, _, path in rows if head[2:8] == GITLINK.encode())),
        unwatched=tuple(sorted(path for head, _, path in rows if head[:1].islower())),
    )
