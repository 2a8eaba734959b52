"""For your own pytest suite: `assert_resumes_exactly(train)`, `assert_same_run(a, b)`, `find_untracked_state(train)`.

`train` is a function of yours, at the top of a module, that calls `samerun.start` (or `samerun.train`) and runs to the
end. It is imported once in a fresh interpreter, and every run of it is a new process forked from that idle one, so that
restoring at every step costs little more than the steps. The command line's proof is `samerun verify`.
"""

from __future__ import annotations

import atexit
import importlib
import importlib.util
import inspect
import json
import os
import runpy
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from samerun.base import files, interpreter
from samerun.base.text import plural
from samerun.errors import ExitCode, MissingError, UsageError

if TYPE_CHECKING:
    from samerun.judge.untracked import Untracked as Untracked
    from samerun.record.reader import RunRecord

UNINTERRUPTED = {"PYTHONHASHSEED": "1", "TZ": "UTC0"}
STOPPED = {"PYTHONHASHSEED": "2", "TZ": "XXX-05:45"}
"""What must not matter differs between the run that is never stopped and those that are."""
IMPORTED_ONCE = ("torch", "torch._dynamo", "samerun.run.start", "samerun.tiers.enforce", "samerun.state.view")
"""Imported before the first fork, so that no run has to: torch itself wants dynamo in its first optimizer step."""


def assert_same_run(a: RunRecord | Path | str, b: RunRecord | Path | str) -> None:
    """Assert that two run folders hold the same run, bit for bit, clock columns aside.

    Raises AssertionError with the first difference in words; also where there is nothing to compare.
    """
    problem = _difference(Path(str(getattr(a, "folder", a))), Path(str(getattr(b, "folder", b))))
    assert problem is None, problem


def assert_resumes_exactly(
    make: Callable[..., object],
    arguments: Sequence[Any] = (),
    *,
    splits: Iterable[int] | None = None,
    folder: Path | None = None,
) -> None:
    """Assert that a run stopped after any step, resumed, stopped one step later and resumed again is the same run.

    `make(*arguments)` starts the run and trains to its end; it is a function at the top of a module, and `arguments`
    are JSON values. `splits` are the numbers of completed steps to stop after (default: every one). The runs are made
    under `folder` (default: a temporary one, removed unless the assertion fails). Every stop and every resume is a
    process of its own. Raises AssertionError naming the split and the first difference, UsageError SR-TESTING-001 for
    a `make` that cannot be imported, -004 for other arguments than it takes, MissingError SR-TESTING-002 where a
    process fails by itself.
    """
    target = _target(make, arguments)
    place = files.hidden_sibling(folder / "resumes" if folder is not None else _scratch())
    with _Template(target, UNINTERRUPTED) as template:
        whole = place / "uninterrupted"
        template.run(whole, None)
    steps = _steps(whole)
    wanted = range(1, steps) if splits is None else sorted(set(splits))
    with _Template(target, STOPPED) as template:
        for split in wanted:
            _assert_split(template, whole, place / f"stopped-after-{split}", split, steps)
    files.remove(place)


def find_untracked_state(
    make: Callable[..., object] | Path | str,
    arguments: Sequence[Any] = (),
    *,
    steps: int = 3,
    folder: Path | None = None,
) -> list[Untracked]:
    """List what changes from step to step and is saved in no checkpoint, each with its path.

    `make` is as for `assert_resumes_exactly`, or the path of a script, with `arguments` its command line. It runs
    `steps` steps once without a stop and once stopped in the middle and resumed, in processes of their own; what a
    resume did not bring back, and the loop may use, is found. State that changes more rarely than every step needs
    more `steps`. State in C extensions, files, servers and worker processes cannot be seen. Errors as
    `assert_resumes_exactly`; UsageError SR-TESTING-003 where fewer than two steps are made.
    """
    target = _script_target(make, arguments) if isinstance(make, (str, Path)) else _target(make, arguments)
    place = files.hidden_sibling(folder / "walks" if folder is not None else _scratch())
    with _Template(target, UNINTERRUPTED) as template:
        found = _walks(template, place, steps)
    files.remove(place)
    return found


def _walks(template: _Template, place: Path, steps: int) -> list[Untracked]:
    from samerun.judge.untracked import compare_walks
    from samerun.record.walked import Walk

    split = max(1, steps // 2)
    whole, resumed = place / "whole.json", place / "resumed.json"
    template.run(place / "whole", steps, Wish(whole, steps))
    made = Walk.read(whole) if whole.is_file() else Walk({})
    if split + 1 not in made.boundaries:
        raise UsageError(
            "SR-TESTING-003",
            f"what is carried over step {split} cannot be seen",
            evidence=[f"steps wanted: {steps}", f"boundaries seen: {list(made.boundaries)}"],
            do="let the function train for 2 steps or more",
        )
    template.run(place / "resumed", split)
    template.run(place / "resumed", steps, Wish(resumed, steps))
    return list(compare_walks(made, Walk.read(resumed)))


def _assert_split(template: _Template, whole: Path, runs: Path, split: int, steps: int) -> None:
    stops = [split, split + 1] if split + 1 < steps else [split]
    for stop in stops:
        template.run(runs, stop)
        assert _steps(runs) == stop, f"asked to stop after step {stop}, the run ended after step {_steps(runs)}"
    template.run(runs, None)
    expected, found = _folders(whole), _folders(runs)
    assert list(expected) == list(found), f"stopped after step {split}: runs {list(found)}, expected {list(expected)}"
    for name, folder in expected.items():
        problem = _difference(folder, found[name])
        assert problem is None, f"stopped after step {split} and resumed: {problem}\nthe run folders are kept in {runs}"
    files.remove(runs)


def _difference(a: Path, b: Path) -> str | None:
    from samerun.judge.diff import diff
    from samerun.record.reader import RunRecord

    verdict = diff(RunRecord.open(a), RunRecord.open(b))
    if verdict.verdict == "same":
        return None
    return f"{a} and {b}: {verdict.verdict}; first difference: {verdict.first_difference}"


def _folders(runs: Path) -> dict[str, Path]:
    return {path.name: path for path in sorted(runs.iterdir()) if path.is_dir() and not path.name.startswith(".")}


def _steps(runs: Path) -> int:
    from samerun.record.reader import RunRecord

    return max((RunRecord.open(folder).manifest.step for folder in _folders(runs).values()), default=0)


def _scratch() -> Path:
    return Path(os.environ.get("TMPDIR", "/tmp")) / "samerun-testing"


# -- the processes -----------------------------------------------------------------------------------------------------


def _target(make: Callable[..., object], arguments: Sequence[Any]) -> dict[str, Any]:
    name = getattr(make, "__qualname__", "")
    module = sys.modules.get(getattr(make, "__module__", ""))
    file = getattr(module, "__file__", None)
    if not name.isidentifier() or file is None:
        raise UsageError(
            "SR-TESTING-001",
            f"{make!r} cannot be imported in a new process",
            evidence=["wanted: a function defined at the top of a module"],
            do="move it to the top of your test module; pass what it needs as arguments=[...]",
        )
    _check_arguments(make, name, arguments)
    paths = [os.path.abspath(path) for path in sys.path]
    return {
        "file": str(Path(file).resolve()),
        "module": "samerun_target" if make.__module__ == "__main__" else make.__module__,
        "name": name,
        "path": paths,
        "arguments": list(arguments),
    }


def _check_arguments(make: Callable[..., object], name: str, arguments: Sequence[Any]) -> None:
    """Refuse (SR-TESTING-004) arguments that the function cannot be called with, before any process is started."""
    try:
        signature = inspect.signature(make)
    except (TypeError, ValueError):
        return  # something compiled: its call will tell
    try:
        signature.bind(*arguments)
    except TypeError as error:
        raise UsageError(
            "SR-TESTING-004",
            f"{name}{signature} cannot be called with {plural(len(arguments), 'argument')}: {error}",
            do=f"pass what it needs, {name} first and then arguments=[...]; or let it take none",
        ) from None


def _script_target(script: Path | str, arguments: Sequence[Any]) -> dict[str, Any]:
    file = Path(script).resolve()
    if not file.is_file():
        raise UsageError("SR-TESTING-001", f"there is no script {script}", do="check the path")
    paths = [str(file.parent), *(os.path.abspath(path) for path in sys.path)]
    return {"file": str(file), "module": None, "name": None, "path": paths, "arguments": [str(a) for a in arguments]}


@dataclass(frozen=True)
class Wish:
    """Where a walk of the run is written, and up to how many completed steps."""

    path: Path
    until: int


class _Template:
    """An idle interpreter that has imported the target; each `run` is a new process forked from it."""

    def __init__(self, target: dict[str, Any], variables: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            interpreter.command("samerun.testing"),
            env={**os.environ, **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._ask(target)

    def run(self, runs: Path, stop_after: int | None, walk: Wish | None = None) -> None:
        """Run the target in a new process, with its runs in `runs`, to the end or until a stop."""
        wish = None if walk is None else [str(walk.path), walk.until]
        answer = self._ask({"runs": str(runs), "stop_after": stop_after, "walk": wish})
        if answer["exit"] in (ExitCode.DONE, ExitCode.STOPPED):
            return
        raise MissingError(
            "SR-TESTING-002",
            f"the run ended with exit code {answer['exit']}",
            evidence=[f"stop after: {stop_after}", *str(answer["words"]).splitlines()],
            do="call the function by hand and make it end there first",
        )

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"exit": self._process.wait(), "words": "no answer"}
        if answer["exit"] and "runs" not in question:
            raise MissingError(
                "SR-TESTING-002",
                "the function cannot be imported in a new process",
                evidence=str(answer["words"]).splitlines(),
                do="make the module importable by itself",
            )
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


@dataclass(frozen=True)
class _Job:
    """The imported target."""

    make: Callable[..., object]
    arguments: list[Any]

    def run(self, runs: str, stop_after: int | None, walk: Sequence[Any] | None) -> int:
        """Run it here, in a process that was forked for this alone."""
        from samerun.run.carried.watch import CarriedWatch
        from samerun.run.launch import LaunchOptions, set_options

        watch = None if walk is None else CarriedWatch(Path(walk[0]), walk[1])
        set_options(LaunchOptions(runs=Path(runs), stop_after=stop_after, is_quiet=True, watch=watch))
        try:
            self.make(*self.arguments)
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 1
        return int(ExitCode.DONE)


def _serve() -> None:
    """Answer the questions on standard input until it closes; the first one is the target."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    job: _Job | None = None
    for line in sys.stdin:
        question = json.loads(line)
        if job is None:
            job, answer = _import(question)
        else:
            answer = _fork(job, question)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _import(question: dict[str, Any]) -> tuple[_Job | None, dict[str, Any]]:
    sys.path[:] = question["path"]
    for name in IMPORTED_ONCE:
        with suppress(ImportError):
            importlib.import_module(name)
    try:
        file, arguments = Path(question["file"]), question["arguments"]
        make = (
            _script(file) if question["module"] is None else getattr(_load(question["module"], file), question["name"])
        )
        _warm_up()
        return _Job(make, arguments), {"exit": 0, "words": ""}
    except Exception:  # noqa: BLE001 - whatever the user's module raises is the answer
        return None, {"exit": 1, "words": traceback.format_exc()}


def _script(file: Path) -> Callable[..., object]:
    """Return what runs a script as `python script.py` would, with its arguments."""

    def run(*arguments: str) -> object:
        sys.argv[:] = [str(file), *arguments]
        return runpy.run_path(str(file), run_name="__main__")

    return run


def _warm_up() -> None:
    """Import what every run would import again: torch loads its compiler (over a second) at the first optimizer."""
    importlib.import_module("samerun.run.start")
    if "torch" in sys.modules:
        importlib.import_module("torch._dynamo")
        importlib.import_module("samerun.tiers.enforce")


def _load(name: str, file: Path) -> ModuleType:
    # By file, since a test module is often importable by no name; under its own name, since its classes carry it.
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _fork(job: _Job, question: dict[str, Any]) -> dict[str, Any]:
    """Run the job in a forked process; its last words come back through a pipe."""
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        code = 1
        try:
            code = job.run(question["runs"], question["stop_after"], question["walk"])
        except Exception:  # noqa: BLE001 - the run's own failure travels to the test as text
            with os.fdopen(writer, "wb") as words:
                words.write(traceback.format_exc().encode())
        # Exit hooks of loaders and the like run; taking torch apart piece by piece, a second each time, does not.
        atexit._run_exitfuncs()
        sys.stderr.flush()
        os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as words:
        text = words.read().decode(errors="replace")
    _, status = os.waitpid(process, 0)
    return {"exit": os.waitstatus_to_exitcode(status), "words": text}


if __name__ == "__main__":
    _serve()
