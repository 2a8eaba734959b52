"""An idle interpreter in surroundings of its own: every command is run by a process forked from it, which has nothing
but imported packages in common with the others. For chains of many short processes of a recipe; child.py starts fresh
interpreters, which a script may need (it may set variables before it imports).

The first command shows which packages are imported; the later ones find them imported.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import signal
import subprocess
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from samerun.base import files, interpreter
from samerun.rerun.child import Outcome, outcome_of_child
from samerun.rerun.surroundings import Surroundings, variables_of

AT_ONCE: Final = ("torch", "torch._dynamo", "samerun.rerun.train")
"""Imported before the first command; torch itself wants its compiler in its first optimizer step."""
PACKAGES: Final = frozenset({"numpy", "pydantic", "ruamel", "samerun", "scipy", "sklearn", "torch"})
"""Packages of which whatever the first command imported is imported for the others. No code of the project is."""


class IdleProcess:
    """The idle interpreter. `place` is a folder for what its commands print."""

    def __init__(self, surroundings: Surroundings, elsewhere: Path, place: Path, imports: Sequence[Path] = ()) -> None:
        self._place = place
        self._number = 0
        files.make_dir(place)
        self._said = place / "server.err"
        said = files.open_new(self._said)
        self._process = subprocess.Popen(
            interpreter.command("samerun.rerun.idle"),
            env=variables_of(surroundings, elsewhere, imports),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            process_group=0,
        )
        os.close(said)

    def run(self, arguments: Sequence[str], cwd: Path, *, is_killable: bool = False) -> Outcome:
        """Run `samerun ARGUMENTS` in a process of its own, and return what `run_samerun` would."""
        self._number += 1
        out, err, modules = (self._place / f"{self._number}.{name}" for name in ("out", "err", "modules"))
        verb, *rest = arguments
        question = {
            "arguments": [verb, "--json", "-q", *rest],
            "cwd": str(cwd),
            "out": str(out),
            "err": str(err),
            "modules": str(modules) if self._number == 1 else None,
        }
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except OSError:
            answer = ""
        except BaseException:
            # Interrupted: the command would go on to its end, and `close` would wait for it.
            os.killpg(self._process.pid, signal.SIGKILL)
            raise
        if not answer:  # the interpreter itself is gone: no kill that anybody asked for
            return outcome_of_child(verb, self._process.wait(), "", _text(self._said) + _text(err), is_killable=False)
        return outcome_of_child(verb, int(answer), _text(out), _text(err), is_killable=is_killable)

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):  # what a dead interpreter never read
            self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def _text(path: Path) -> str:
    return path.read_text("utf-8", "backslashreplace") if path.exists() else ""


def serve() -> None:
    """Answer each question on standard input with the exit code of its command."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    _import(AT_ONCE)
    for line in sys.stdin:
        question = json.loads(line)
        process = os.fork()
        if process == 0:
            _become(question)
            _leave(_run(), question["modules"])
        _, status = os.waitpid(process, 0)
        if question["modules"] is not None and Path(question["modules"]).exists():
            _import(json.loads(Path(question["modules"]).read_bytes()))
        answers.write(f"{os.waitstatus_to_exitcode(status)}\n")
        answers.flush()


def _import(names: Sequence[str]) -> None:
    for name in names:
        try:
            import_module(name)
        except Exception as problem:  # noqa: BLE001 - a command that needs it says so itself
            print(f"{name} is not imported beforehand: {problem!r}", file=sys.stderr, flush=True)


def _become(question: dict[str, Any]) -> None:
    for number, name in ((0, os.devnull), (1, question["out"]), (2, question["err"])):
        file = os.open(name, os.O_RDONLY) if number == 0 else files.open_new(Path(name))
        os.dup2(file, number)
        os.close(file)
    os.chdir(question["cwd"])
    sys.argv[:] = ["samerun", *question["arguments"]]


def _run() -> int:
    """Run the command as `python -m samerun` would, and return its exit code."""
    try:
        runpy.run_module("samerun", run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - whatever it was, the process ends here
        traceback.print_exc()
        return 70
    return 0


def _leave(code: int, modules: str | None) -> None:
    """End without taking torch apart piece by piece, which takes a second; exit hooks do run."""
    if modules is not None:
        names = [name for name in sys.modules if name.split(".")[0] in PACKAGES]
        files.write_new(Path(modules), json.dumps(names).encode())
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    serve()
