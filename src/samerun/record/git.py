"""What git knows about a project, asked read-only and without running anything that the repository configures.

An unknown is None with a reason. Whether a dirty tree matters is the caller's question: source counts by content.
"""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from samerun.base.redact import strip_userinfo
from samerun.base.shareable import shareable_text

_TIMEOUT_SECONDS: Final = 20
_QUIET: Final = ("-c", "core.fsmonitor=false", "-c", "core.quotepath=false", "-c", "diff.external=")
_LISTED: Final = 1000


@dataclass(frozen=True)
class GitFacts:
    """State of the work tree around a project."""

    commit: str | None
    branch: str | None
    """None on a detached head."""
    remote: str | None
    """URL of `origin` without user, password and secret parameters."""
    changed: tuple[str, ...]
    """Paths that are not as committed, with their two status letters; staged, unstaged, deleted and untracked alike."""
    reason: str | None = None
    """Why nothing is known, where nothing is."""

    @property
    def is_dirty(self) -> bool:
        """Whether anything differs from the commit."""
        return bool(self.changed)

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in environment.json."""
        return {
            "branch": None if self.branch is None else shareable_text(self.branch),
            "changed": [shareable_text(entry) for entry in self.changed[:_LISTED]],
            "commit": self.commit,
            "is_dirty": self.is_dirty,
            "num_changed": len(self.changed),
            "reason": self.reason,
            "remote": self.remote,
        }


def git_facts(root: Path) -> GitFacts:
    """Ask git about the project in `root`; without git, or outside a work tree, every fact is None with a reason."""
    inside, error = _git(root, "rev-parse", "--show-toplevel")
    if inside is None:
        return GitFacts(None, None, None, (), error)
    commit, _ = _git(root, "rev-parse", "--verify", "--quiet", "HEAD")
    branch, _ = _git(root, "symbolic-ref", "--quiet", "--short", "HEAD")
    remote, _ = _git(root, "config", "--get", "remote.origin.url")
    status, error = _git(root, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal")
    return GitFacts(
        commit=_text(commit),
        branch=_text(branch),
        remote=_remote(_text(remote)),
        changed=tuple(entry.decode("utf-8", "replace") for entry in (status or b"").split(b"\0") if entry),
        reason=error if status is None else None,
    )


def git_patch(root: Path, paths: Sequence[Path]) -> bytes:
    """Give the difference of `paths` to the commit as a patch relative to `root`; empty without git or changes.

    Untracked files are in the snapshot and not here.
    """
    if not paths:
        return b""
    names = [f":(literal){os.path.relpath(path, root)}" for path in sorted(paths)]
    flags = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--relative", "--binary")
    patch, _ = _git(root, "diff", "HEAD", *flags, "--src-prefix=a/", "--dst-prefix=b/", "--", *names)
    return patch or b""


def _git(root: Path, *arguments: str) -> tuple[bytes | None, str | None]:
    """Run git in `root`; give (output, None), or (None, why not)."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment = {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", *_QUIET, *arguments],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        return None, "git is not installed"
    except (OSError, subprocess.TimeoutExpired) as problem:
        return None, f"git did not answer: {type(problem).__name__}"
    if done.returncode == 0:
        return done.stdout, None
    if b"not a git repository" in done.stderr:
        return None, "not a git repository"
    return None, f"git {arguments[0]} failed with {done.returncode}"


def _text(output: bytes | None) -> str | None:
    text = (output or b"").decode("utf-8", "replace").strip()
    return text or None


def _remote(url: str | None) -> str | None:
    if url is None:
        return None
    # A remote on this machine would tell its folders.
    return "[local path]" if url.startswith(("/", ".", "~", "file:")) else strip_userinfo(url)
