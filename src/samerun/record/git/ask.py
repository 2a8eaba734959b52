"""Asking git about one folder: read-only, within one deadline, and without running anything that a repository sets up.

No hook, filter, external diff, text conversion, file-system monitor or transport of the repository is run; variables of
a surrounding git (a hook's) lead nowhere else. An answer that did not come is None with a reason.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from samerun.base import clock

SECONDS: Final = 10.0
"""For all questions about a project together; a repository that takes longer is told as unknown."""
NO_REPOSITORY: Final = "not a git repository"
DAMAGED: Final = "there is a .git, and git takes it for no repository: it is damaged"
REFUSED: Final = "git refuses the repository, since it belongs to another user (git config safe.directory)"

_SAFE: Final = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.quotepath": "true",
    "diff.external": "",
    "diff.suppressBlankEmpty": "false",
}
_FILTER: Final = {"clean": "", "smudge": "", "process": "", "required": "false"}
_REASONS: Final = (
    (b"dubious ownership", REFUSED),
    (b"not a git repository", DAMAGED),
    (b"must be run in a work tree", "a bare repository has no work tree"),
    (b"index file", "its index is damaged"),
)
_ENVIRONMENT: Final = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}

Answer = tuple[bytes | None, str | None]
"""What git wrote and None, or None and why there is nothing."""


@dataclass(frozen=True)
class Git:
    """git in one folder, until `deadline` (of the monotonic clock)."""

    folder: Path
    deadline: float
    filters: tuple[str, ...] = ()
    """Names of the configured filters, all of which are put out of force."""

    @staticmethod
    def until(seconds: float = SECONDS) -> float:
        """Return the deadline that lies so many seconds ahead."""
        return clock.monotonic() + seconds

    def ask(self, *arguments: str | bytes, given: bytes | None = None) -> Answer:
        """Run git with these arguments and `given` on its standard input."""
        settings = {**_SAFE, **{f"filter.{name}.{key}": text for name in self.filters for key, text in _FILTER.items()}}
        options = [word for key, text in settings.items() for word in ("-c", f"{key}={text}")]
        seconds = self.deadline - clock.monotonic()
        if seconds <= 0:
            return None, "git took too long"
        try:
            done = _run(["git", "--no-pager", *options, *arguments], self.folder, given, seconds)
        except FileNotFoundError:
            return None, "git is not installed"
        except subprocess.TimeoutExpired:
            return None, "git took too long"
        except OSError as problem:
            return None, f"git cannot be run: {problem.strerror}"
        if done.returncode == 0:
            return done.stdout, None
        word = os.fsdecode(arguments[0])
        known = (text for mark, text in _REASONS if mark in done.stderr)
        return None, next(known, f"git {word} failed with {done.returncode}")

    def text(self, *arguments: str) -> str | None:
        """Give one line of text, None where there is no answer or an empty one."""
        output, _ = self.ask(*arguments)
        return (output or b"").decode("utf-8", "replace").strip() or None


def _environment() -> Mapping[str, str]:
    return {**{key: value for key, value in os.environ.items() if not key.startswith("GIT_")}, **_ENVIRONMENT}


def _run(
    command: list[str | bytes], folder: Path, given: bytes | None, seconds: float
) -> subprocess.CompletedProcess[bytes]:
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=_environment(),
        stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A group of its own: what git has started ends with it, and no longer holds the pipes open.
        start_new_session=True,
    )
    with process:
        try:
            out, err = process.communicate(given, timeout=seconds)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)
