"""Where the data of a built-in task lies: a path of the project, or a text inside this package. No torch."""

from __future__ import annotations

from pathlib import Path
from typing import Final

INSIDE: Final = "samerun:"
"""What the name of a text inside this package begins with."""


def place_of(path: str, project: Path | None) -> Path:
    """Return where `path` of a task is; it need not exist. Relative paths start at the project folder."""
    if path.startswith(INSIDE):
        return Path(__file__).parents[3] / "recipes" / "data" / path.removeprefix(INSIDE)
    return (project or Path()) / path
