"""How a further Python of ours is started: with the asserts that this one has, and no module from the working folder.

What it sees of the world is the caller's business; see rerun/surroundings.py for the children of a proof.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def command(module: str, *arguments: str, python: Path | None = None) -> list[str]:
    """Return the command that runs a module as `__main__` in a new interpreter: this Python, or the one at `python`.

    Asserts are part of the platform; -P keeps the working folder from shadowing what this process took from elsewhere.
    """
    return [
        sys.executable if python is None else str(python),
        *["-O"] * sys.flags.optimize,
        "-P",
        "-m",
        module,
        *arguments,
    ]


def import_path() -> str:
    """Return the value of PYTHONPATH with which a new interpreter imports from where this one does."""
    return os.pathsep.join(entry for entry in sys.path if entry)
