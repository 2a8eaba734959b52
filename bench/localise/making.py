"""Makes the runs of the benchmark: each once, most of them forked from one warm process, all in one project."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from expected import Equal, Fault
from warm_process import Done, WarmProcess

from samerun.record.reader import RunRecord
from samerun.rerun.child import Outcome, Surroundings, run_samerun
from samerun.tiers.variables import kernel_variables

HERE = Path(__file__).parent
STOPPED = 75


class Maker:
    """Makes runs in `folder / "project"`; a run that was made already is given again."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        shutil.copytree(HERE / "project", self.project)
        self._folder = folder
        self._warm = WarmProcess(folder)
        self._lock = threading.Lock()
        self._made: dict[tuple[str, ...], RunRecord] = {}

    def close(self) -> None:
        """End the warm process."""
        self._warm.close()

    def fault(self, fault: Fault) -> tuple[RunRecord, RunRecord]:
        """Make both sides of a fault."""
        if fault.edit is not None:
            return self._edited(fault.subject, fault.a, fault.b, fault.edit)
        a = self.run(fault.subject, fault.a)
        if fault.variables:
            return a, self._fresh(fault.subject, fault.b, fault.variables)
        return a, self.run(fault.subject, fault.b, twin=fault.a == fault.b)

    def equal(self, pair: Equal) -> tuple[RunRecord, RunRecord]:
        """Make both sides of an equal pair."""
        if pair.edit is not None:
            return self._edited(pair.subject, pair.a, pair.b, pair.edit)
        a = self.run(pair.subject, pair.a)
        how, *numbers = pair.how.split()
        if how == "fresh":
            return a, self._fresh(pair.subject, pair.b, pair.variables)
        if how == "elsewhere":
            copy = self._copy()
            return a, self._train(pair.subject, pair.b, copy)
        if how == "train":
            return a, self._train(pair.subject, pair.b, self.project, pair.settings)
        return a, self._interrupted(pair, how, numbers)

    def run(self, subject: str, arguments: Sequence[str], *, twin: bool = False) -> RunRecord:
        """Make the run of these arguments; `twin` makes it a second time."""
        key = (subject, *arguments, *(["twin"] if twin else []))
        if key not in self._made:
            self._made[key] = self._train(subject, arguments, self.project)
        return self._made[key]

    def run_forked(self, arguments: Sequence[str], surroundings: Surroundings, cwd: Path) -> Outcome:
        """Do what `run_samerun` does, in a fork of the warm process unless kernels are chosen for it."""
        if kernel_variables(surroundings.variables):
            return run_samerun(arguments, surroundings, cwd)
        verb, *rest = arguments
        with self._lock:
            done = self._warm.run(verb, "--json", "-q", *rest, cwd=cwd, **surroundings.variables)
        if done.code not in (0, STOPPED):
            return run_samerun(arguments, surroundings, cwd)  # it says in full what is wrong
        return Outcome(done.code, done.document, done.err)

    def _name(self) -> str:
        self._number = getattr(self, "_number", 0) + 1
        return f"r{self._number}"

    def _train(
        self, subject: str, arguments: Sequence[str], project: Path, more: Sequence[str] = (), name: str | None = None
    ) -> RunRecord:
        name = name or self._name()
        with self._lock:
            done = self._warm.run(*command(subject, arguments, [*more, "--name", name]), cwd=project)
        return _record(done, project, name)

    def _interrupted(self, pair: Equal, how: str, numbers: Sequence[str]) -> RunRecord:
        """Stop, kill or end a run early, once or several times, and go on with it."""
        name = self._name()
        for number in numbers:
            more, arguments = ["--name", name], list(pair.b)
            if how == "stop":
                more += ["--stop-after", number]
            elif how == "on":
                more += ["-s", f"steps={number}"]
            elif pair.subject == "loop.py":
                arguments += ["--fault", "kill", "--at", number]
            else:
                arguments += ["optimizer.fault=kill", f"optimizer.at={number}"]
            with self._lock:
                done = self._warm.run(*command(pair.subject, arguments, more), cwd=self.project)
            assert done.code == {"stop": STOPPED, "on": 0, "kill": -9}[how], (pair.name, done)
        return self._train(pair.subject, pair.b, self.project, name=name)

    def _fresh(self, subject: str, arguments: Sequence[str], variables: Mapping[str, str]) -> RunRecord:
        name = self._name()
        words = [sys.executable, "-P", "-m", "samerun", *command(subject, arguments, ["--name", name])]
        done = subprocess.run(
            words, cwd=self.project, env={**os.environ, **variables}, capture_output=True, text=True, check=False
        )
        return _record(Done(done.returncode, done.stdout, done.stderr), self.project, name)

    def _edited(
        self, subject: str, a: Sequence[str], b: Sequence[str], edit: tuple[str, str, str]
    ) -> tuple[RunRecord, RunRecord]:
        """Make side a in a copy of the project, then change a line of it and make side b."""
        copy = self._copy()
        first = self._train(subject, a, copy)
        file, old, new = edit
        text = (copy / file).read_text()
        assert text.count(old) == 1, edit
        (copy / file).write_text(text.replace(old, new))
        return first, self._train(subject, b, copy)

    def _copy(self) -> Path:
        copy = self._folder / f"copy-{self._name()}"
        shutil.copytree(HERE / "project", copy)
        return copy


def command(subject: str, arguments: Sequence[str], more: Sequence[str]) -> list[str]:
    """Spell the command that trains: what a script is told stands after `--`, what a recipe is told after `-s`."""
    words = ["train", subject, "-q", *more]
    if subject.endswith(".py"):
        return [*words, "--", *arguments]
    return [*words, *(word for setting in arguments for word in ("-s", setting))]


def _record(done: Done, project: Path, name: str) -> RunRecord:
    if done.code != 0:
        raise SystemExit(f"a run could not be made:\n{done.out}{done.err}")
    (folder,) = (project / "runs").glob(f"{name}-*")
    return RunRecord.open(folder)
