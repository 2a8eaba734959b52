"""pip as a child process: which version is there, and one command of it, with the index settings of the user.

It never touches the environment of this process: commands here lock, or install into another interpreter.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from samerun.errors import MissingError

LAST_WORDS: Final = 12
LOCKS_SINCE: Final = "25.1"


def check_pip_locks() -> None:
    """Raise MissingError SR-EXPORT-003 where the pip of this interpreter has no `lock`."""
    from packaging.version import Version

    try:
        found = version("pip")
    except PackageNotFoundError:
        found = None
    if found is None or Version(found) < Version(LOCKS_SINCE):
        raise MissingError(
            "SR-EXPORT-003",
            "this Python has no pip that locks",
            evidence=[f"pip here: {found or 'none'}", f"wanted: {LOCKS_SINCE} or newer"],
            do=f"python -m pip install --upgrade 'pip>={LOCKS_SINCE}'",
        )


def run_pip(arguments: Sequence[str], *, interpreter: Path | None = None) -> str:
    """Run `pip ARGUMENTS` under an interpreter (null: this one) and return what it printed.

    Raises MissingError SR-EXPORT-004 with pip's last words where it fails.
    """
    # -I: what PYTHONPATH shows is not installed there.
    command = [str(interpreter or sys.executable), "-I", "-m", "pip", "--no-input", "--disable-pip-version-check"]
    done = subprocess.run(
        [*command, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )
    if done.returncode != 0:
        said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        words = [line for line in said if not line.startswith("WARNING: Location")]
        raise MissingError(
            "SR-EXPORT-004",
            f"pip {arguments[0]} failed",
            evidence=words[-LAST_WORDS:] or [f"exit code {done.returncode}"],
            do="run the same pip command by hand, with the index that has these packages",
        )
    return done.stdout
