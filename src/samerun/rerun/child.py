"""Fresh processes: the command line run again, in surroundings that differ in everything a run must not depend on.

A child answers with its JSON document. What it sees of the world is surroundings.py's; what is compared afterwards is
not decided here: see verify.py.
"""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.base.interpreter import command
from samerun.errors import (
    ConfigError,
    DamageError,
    ExitCode,
    InternalError,
    LockedError,
    MissingError,
    NoMatchError,
    RefusedError,
    SamerunError,
    UsageError,
)
from samerun.rerun.surroundings import Surroundings, variables_of

LAST_WORDS = 15


@dataclass(frozen=True)
class Outcome:
    """How a child ended. `document` is its JSON answer; `stderr` is what it said meanwhile."""

    exit_code: int
    document: dict[str, Any]
    stderr: str


def run_samerun(
    arguments: Sequence[str],
    surroundings: Surroundings,
    cwd: Path,
    elsewhere: Path | None = None,
    imports: Sequence[Path] = (),
    *,
    is_killable: bool = False,
    interpreter: Path | None = None,
) -> Outcome:
    """Run `samerun ARGUMENTS` in a new interpreter and return its answer.

    The verb comes first in `arguments`. `elsewhere` is a folder for another home and the like (surroundings.py),
    `imports` are folders to import from, `interpreter` is another Python that has samerun. Exit 0 and 75 (stopped) are
    outcomes, and with `is_killable` so is SIGKILL; any other exit code is raised here as the child's own error, with
    its code, evidence and advice.
    """
    verb, *rest = arguments
    done = subprocess.run(
        command("samerun", verb, "--json", "-q", *rest, python=interpreter),
        cwd=cwd,
        env=variables_of(surroundings, elsewhere, imports),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )
    return outcome_of_child(verb, done.returncode, done.stdout, done.stderr, is_killable=is_killable)


def outcome_of_child(verb: str, code: int, stdout: str, stderr: str, *, is_killable: bool) -> Outcome:
    """Return what a child answered, or raise its error; `is_killable` takes SIGKILL for an outcome."""
    document = _read_document(stdout)
    if is_killable and code == -signal.SIGKILL:
        return Outcome(code, {}, stderr)
    if code not in (ExitCode.DONE, ExitCode.STOPPED) or document is None:
        raise _child_error(verb, code, document, stderr)
    return Outcome(code, document, stderr)


def _read_document(text: str) -> dict[str, Any] | None:
    try:
        document = json.loads(text)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


ERRORS: dict[str, type[SamerunError]] = {
    kind.__name__: kind
    for kind in (UsageError, ConfigError, RefusedError, MissingError, NoMatchError, DamageError, LockedError)
}


class ChildError(InternalError):
    """A child failed inside: its last words say where, and a traceback of this process would say nothing."""

    shows_traceback = False


class Killed(MissingError):
    """A child was killed from outside, mostly for want of memory: nothing that it ran says so."""


def is_of_its_surroundings(error: SamerunError) -> bool:
    """Whether a child's error may come from where and how it was run: not damage, a lock, a kill or a fault of ours."""
    is_ours = isinstance(error, InternalError) and not isinstance(error, ChildError)
    return not is_ours and not isinstance(error, DamageError | LockedError | Killed)


def _child_error(verb: str, exit_code: int, document: dict[str, Any] | None, stderr: str) -> SamerunError:
    if document is not None and isinstance(document.get("error"), dict):
        parts = document["error"]
        if exit_code == ExitCode.INTERNAL:
            return ChildError(
                parts["code"], parts["what"], evidence=_last_words(stderr, parts["what"]), do=_by_hand(verb)
            )
        kind = ERRORS.get(str(document.get("kind")), InternalError)
        return kind(parts["code"], parts["what"], evidence=tuple(parts["evidence"]), do=parts["do"])
    words = _last_words(stderr)
    how = f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
    kind = Killed if exit_code == -signal.SIGKILL else MissingError
    return kind(
        "SR-VERIFY-001",
        f"the process that ran `samerun {verb}` ended with {how} and no answer",
        evidence=words or ["it said nothing"],
        do=_by_hand(verb),
    )


def _last_words(stderr: str, known: str = "") -> list[str]:
    """Return the last lines that a child said, less those that `known` says already."""
    return [line for line in stderr.splitlines() if line.strip() and line.strip() not in known][-LAST_WORDS:]


def _by_hand(verb: str) -> str:
    return f"run the same `samerun {verb}` by hand, and make it work there first"
