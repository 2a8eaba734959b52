"""What the command line asks of the next run, handed to `samerun.start` without touching the user's script.

The verbs set it, `start.py` and the trainers read it; a program that calls `samerun.start` itself sees the defaults.
All is aside but `seed` and `tier`, which take the place of what the script says.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samerun.run.body import BodyWatch
    from samerun.run.phases import Phases


@dataclass(frozen=True)
class LaunchOptions:
    """The wishes of one command: where, under which name, how far, and what may be forgiven."""

    name: str | None = None
    seed: int | None = None
    tier: str | None = None
    runs: Path | None = None
    run_folder: Path | None = None
    """The very folder to go on with (`resume`); `None` looks for the run by name and identity."""
    argv: tuple[str, ...] | None = None
    """The arguments of a script started by `samerun train script.py -- ARGS`."""
    stop_after: int | None = None
    """Checkpoint and stop (exit 75) once this many steps are complete."""
    time_limit_seconds: float | None = None
    is_new: bool = False
    continue_only: bool = False
    allow_drift: tuple[str, ...] = ()
    refuses_dirty: bool = False
    """A fresh run is refused where its record could not give back the dirty tree that it starts from."""
    is_fallback: bool = False
    """A damaged newest checkpoint may be replaced by the newest good one."""
    is_quiet: bool = False
    checkpoint: tuple[tuple[str, Any], ...] = ()
    """Keys of the `checkpoint:` table given on the command line; they win over the script's."""
    trail: tuple[tuple[str, Any], ...] = ()
    """Keys of the `trail:` table, likewise."""
    watch: BodyWatch | None = None
    """Looks on at the body of each step, and changes nothing."""
    guard: str | None = None
    """`raise` or `record`: catch draws that a second run would not repeat."""
    phases: Phases | None = None
    """Takes the time of each phase of a step."""

    @property
    def is_alone(self) -> bool:
        """Whether no command is around the run (every command says where its runs are)."""
        return self.runs is None and not self.is_quiet


_DEFAULTS = LaunchOptions()
_current: ContextVar[LaunchOptions] = ContextVar("samerun_launch_options")


def current_options() -> LaunchOptions:
    """Return the options of the command under way (the defaults outside one)."""
    return _current.get(_DEFAULTS)


def set_options(options: LaunchOptions) -> None:
    """Set the options for every run started after this call in this context."""
    _current.set(options)


@contextmanager
def launching(options: LaunchOptions) -> Iterator[None]:
    """Set the options for the runs started inside the block."""
    token = _current.set(options)
    try:
        yield
    finally:
        _current.reset(token)


_opened: list[Path] = []
_trained: dict[Path, int] = {}


def note_opened(folder: Path) -> None:
    """Remember that this process opened a run, so that the command can say how it stands."""
    _opened.append(folder)
    _trained[folder] = 0


def opened_folders() -> tuple[Path, ...]:
    """Return the folders of the runs that this process opened, oldest first."""
    return tuple(_opened)


def note_trained(folder: Path, steps: int) -> None:
    """Remember how many steps this process has settled in a run that it closed just now."""
    _trained[folder] = steps


def steps_trained(folder: Path) -> int:
    """Return how many steps the newest opening of this run by this process has settled."""
    return _trained.get(folder, 0)
