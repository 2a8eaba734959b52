"""Fresh processes: the command line run again, in surroundings that differ in everything a run must not depend on.

A child answers with its JSON document. What it sees of the world is surroundings.py's; what is compared afterwards is
not decided here: see verify.py.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from samerun.rerun.surroundings import SURROUNDINGS, Surroundings, variables_of

__all__ = ["SURROUNDINGS", "Outcome", "Surroundings", "child_environment", "outcome_of_child", "run_samerun"]

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
    # Without asserts where this process has none: that is part of the platform.
    python = sys.executable if interpreter is None else str(interpreter)
    command = [python, *["-O"] * sys.flags.optimize, "-P", "-m", "samerun", verb, "--json", "-q", *rest]
    done = subprocess.run(
        command,
        cwd=cwd,
        env=child_environment(surroundings, elsewhere, imports),
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


def child_environment(
    surroundings: Surroundings, elsewhere: Path | None = None, imports: Sequence[Path] = ()
) -> dict[str, str]:
    """Return the variables of a child; see surroundings.py."""
    return variables_of(surroundings, elsewhere, imports)


def _read_document(text: str) -> dict[str, Any] | None:
    try:
        document = json.loads(text)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


ERRORS: dict[int, type[SamerunError]] = {
    int(kind.exit_code): kind
    for kind in (UsageError, RefusedError, MissingError, NoMatchError, DamageError, LockedError, InternalError)
}


class ChildError(InternalError):
    """A child failed inside: its last words say where, and a traceback of this process would say nothing."""

    shows_traceback = False


def _child_error(verb: str, exit_code: int, document: dict[str, Any] | None, stderr: str) -> SamerunError:
    if document is not None and isinstance(document.get("error"), dict):
        parts = document["error"]
        if exit_code == ExitCode.INTERNAL:
            return ChildError(
                parts["code"], parts["what"], evidence=_last_words(stderr, parts["what"]), do=_by_hand(verb)
            )
        is_config = str(parts["code"]).startswith("SR-CONFIG")
        kind = ConfigError if is_config else ERRORS.get(exit_code, InternalError)
        return kind(parts["code"], parts["what"], evidence=tuple(parts["evidence"]), do=parts["do"])
    words = _last_words(stderr)
    how = f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
    return MissingError(
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
