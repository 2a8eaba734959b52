"""A hidden folder beside the runs for what a proof makes: taken away at its end, rubble only after SIGKILL.

SIGTERM and SIGHUP end a proof as Ctrl-C does: its processes are ended and the folder goes. A batch system and
`timeout` send the one, a terminal that closes the other.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from samerun.base import files

Say = Callable[[str], None]
"""Is told what is being done, for a person who waits."""


_ENDING: Final = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def workplace(place: Path, name: str) -> Iterator[Path]:
    """Give an empty folder beside the runs in `place`; absolute, since children work in other folders."""
    files.make_dir(place)
    folder = files.hidden_sibling(place.absolute() / name)
    files.make_dir(folder, exclusive=True)
    try:
        with _ended_by_signals():
            yield folder
    finally:
        files.remove(folder)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Make these signals a KeyboardInterrupt, where nobody has decided otherwise about them."""
    is_main = threading.current_thread() is threading.main_thread()
    taken = [one for one in _ENDING if is_main and signal.getsignal(one) is signal.SIG_DFL]
    for one in taken:
        signal.signal(one, _interrupt)
    try:
        yield
    finally:
        for one in taken:
            signal.signal(one, signal.SIG_DFL)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
