"""A script that is run by `python script.py`, without the command line around it: its last words and its exit code.

The command line does both itself (cli/main.py). Nothing here changes a run.
"""

from __future__ import annotations

import sys
from types import TracebackType

from samerun.base.redact import redact_text
from samerun.errors import SamerunError


def exit_with_our_codes() -> None:
    """Let an error of ours that nobody catches end the process in four parts, with its own exit code.

    Python's own way is a traceback and exit code 1, which would read as an answer. Another hook is left alone.
    """
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _hook


def say_last_words(name: str, status: str, step: int, folder: str, *, was_complete: bool) -> None:
    """Say on standard error how a run ended and where it is; one that `was_complete` before trained nothing now."""
    if was_complete:
        sys.stderr.write(f"samerun: {name} was complete already at step {step}, nothing was trained: {folder}\n")
        return
    more = "; start it again to go on" if status in ("stopped", "failed", "interrupted") else ""
    sys.stderr.write(f"samerun: {name} {status} at step {step}{more}: {folder}\n")


def _hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not isinstance(error, SamerunError):
        sys.__excepthook__(kind, error, trace)
        return
    sys.stderr.write(f"{redact_text(str(error))}\n")
    sys.stderr.flush()
    # Python takes the code of a SystemExit that leaves the hook.
    raise SystemExit(int(error.exit_code))
