"""Trainings of one making, each in a new process: the first in the user's own surroundings, the others elsewhere.

A series remembers what had to stay the same: a program that starts only in its own folder or with its own home is run
there, and the answer says so. What is compared is not decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from samerun.base import files
from samerun.errors import ConfigError, InternalError, SamerunError
from samerun.record.find import find_runs
from samerun.record.reader import RunRecord
from samerun.rerun.child import Outcome, is_of_its_surroundings, run_samerun
from samerun.rerun.idle import IdleProcess
from samerun.rerun.made import Making, Order
from samerun.rerun.surroundings import SURROUNDINGS, Surroundings
from samerun.rerun.workplace import Say

DIFFERED: Final = "other hash seed, time zone, language, temporary folder, PATH, variables"


class Series:
    """Makes trainings below `folder`. `making` gets the seed once it is known; `surroundings` are taken in turn."""

    def __init__(
        self, making: Making, folder: Path, say: Say, surroundings: Sequence[Surroundings] = SURROUNDINGS
    ) -> None:
        self.making = making
        self.say = say
        self._folder = folder
        self._around = surroundings
        self._stays: str | None = None
        """Why it must run in its own folder and home; null: it runs anywhere."""
        self._idle: dict[int, IdleProcess] = {}
        self._imports = making.imports()

    def place(self, name: str) -> Path:
        """Return the folder of runs called `name`."""
        return self._folder / name

    def train(self, name: str, number: int, order: Order, *, is_fresh: bool = True) -> RunRecord:
        """Train in a new process, going on with what is in the runs called `name`; return the last run there is.

        `number` 0 is the user's own folder and home, all others are elsewhere. The process is a fresh interpreter, or,
        without `is_fresh`, for a recipe one forked from an idle interpreter. Raises the child's own error.
        """
        runs = self.place(name)
        if number == 0 or self._stays is not None:
            return self._run(runs, number, order, elsewhere=None)
        elsewhere = self._folder / f"elsewhere-{number % len(self._around)}"
        is_begun = runs.exists()
        try:
            if is_fresh or self.making.runs_script or self.making.interpreter is not None:
                return self._run(runs, number, order, elsewhere)
            return self._fork(runs, number, order, elsewhere)
        except SamerunError as error:
            if isinstance(error, ConfigError) or not is_of_its_surroundings(error):
                raise
            self.say(f"it does not run in another folder with another home ({error.code}): again where it is")
            if not is_begun and runs.exists():
                files.remove(runs)
            record = self._run(runs, number, order, elsewhere=None)
            self._stays = f"it does not run in another one: {error.what}"
            return record

    def runs_of(self, name: str) -> list[RunRecord]:
        """Return every run that the trainings called `name` have made, in the order in which they were opened."""
        return find_runs(self.place(name))

    def surroundings(self) -> str:
        """Say what differed between the processes."""
        if self._stays is None:
            return f"{DIFFERED}, home and working folder"
        return f"{DIFFERED}; the same home and working folder ({self._stays})"

    def forked(self) -> str:
        """Say where processes were forked rather than started, if any were."""
        return ", each forked from an interpreter that had only imported packages" if self._idle else ""

    def close(self) -> None:
        """End the idle interpreters."""
        for idle in self._idle.values():
            idle.close()
        self._idle.clear()

    def _fork(self, runs: Path, number: int, order: Order, elsewhere: Path) -> RunRecord:
        number %= len(self._around)
        files.make_dir(elsewhere / "work")
        if number not in self._idle:
            self._idle[number] = IdleProcess(
                self._around[number], elsewhere, self._folder / f"idle-{number}", self._imports
            )
        command = self.making.command(runs, order)
        return _record_of(self._idle[number].run(command, elsewhere / "work", is_killable=order.is_killable), runs)

    def _run(self, runs: Path, number: int, order: Order, elsewhere: Path | None) -> RunRecord:
        cwd = self.making.home if elsewhere is None else elsewhere / "work"
        files.make_dir(cwd or runs)
        outcome = run_samerun(
            self.making.command(runs, order),
            self._around[number % len(self._around)],
            cwd or runs,
            elsewhere,
            self._imports,
            is_killable=order.is_killable,
            interpreter=self.making.interpreter,
        )
        return _record_of(outcome, runs)


def _record_of(outcome: Outcome, runs: Path) -> RunRecord:
    folder = outcome.document.get("run")
    if isinstance(folder, str):
        return RunRecord.open(Path(folder))
    found = find_runs(runs)
    if outcome.exit_code < 0 and found:
        return found[-1]
    raise InternalError("SR-VERIFY-070", "a child did not name its run", do="report this")
