"""A hidden folder beside the runs for what a proof makes: taken away at its end, rubble after a kill."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from samerun.base import files

Say = Callable[[str], None]
"""Is told what is being done, for a person who waits."""


@contextmanager
def workplace(place: Path, name: str) -> Iterator[Path]:
    """Give an empty folder beside the runs in `place`; absolute, since children work in other folders."""
    files.make_dir(place)
    folder = files.hidden_sibling(place.absolute() / name)
    files.make_dir(folder, exclusive=True)
    try:
        yield folder
    finally:
        files.remove(folder)
