"""Commands of the tests, each in a process of its own, forked from an idle one that has already imported torch.

A command line is handed to `samerun.cli.main` with real file descriptors, an own folder and own variables: what a test
sees is what a shell would see, without two seconds of imports each time. Tests of start-up use fresh interpreters.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

LOADED = (
    "torch._dynamo",  # torch itself imports it in the first optimizer step
    "sklearn.datasets",
    "filelock",
    "ruamel.yaml",
    "samerun.rerun.evaluate",
    "samerun.rerun.verify",
    "samerun.run.start",
    "samerun.trainers.recipe",
    "samerun.trainers.supervised.plan",
    "samerun.trainers.supervised.tasks.digits",
)
"""What a fork finds imported."""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on standard output."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def error(self) -> dict[str, Any]:
        """The error of `--json`."""
        found: dict[str, Any] = self.document["error"]
        return found


class WarmProcess:
    """The idle process. `run` is one command; `cwd` is where it runs unless told otherwise."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._number = 0
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, *arguments: object, cwd: Path, **variables: str) -> Done:
        """Run `samerun ARGUMENTS` in a new process."""
        self._number += 1
        out, err = (self._place / f"{self._number}.{name}" for name in ("out", "err"))
        question = {
            "arguments": [str(argument) for argument in arguments],
            "cwd": str(cwd),
            "variables": variables,
            "out": str(out),
            "err": str(err),
        }
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        return Done(code, out.read_text("utf-8"), err.read_text("utf-8"))

    def close(self) -> None:
        """End the idle process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def serve() -> None:
    """Answer each question with the exit code of its command."""
    from samerun.cli.main import main

    for name in LOADED:
        import_module(name)

    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        question = json.loads(line)
        process = os.fork()
        if process == 0:
            _become(question)
            _leave(main, question["arguments"])
        _, status = os.waitpid(process, 0)
        answers.write(f"{os.waitstatus_to_exitcode(status)}\n")
        answers.flush()


def _become(question: dict[str, Any]) -> None:
    for number, name in ((1, "out"), (2, "err")):
        file = os.open(question[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.chdir(question["cwd"])
    os.environ.update(question["variables"])
    sys.argv[:] = ["samerun", *question["arguments"]]


def _leave(main: Callable[[list[str]], object], arguments: list[str]) -> None:
    """End without taking torch apart piece by piece, which takes a second; exit hooks do run."""
    code: object = 70
    try:
        main(arguments)
    except SystemExit as end:
        code = end.code
        if isinstance(code, str):
            sys.stderr.write(code + "\n")
            code = 1
    except BaseException:  # noqa: BLE001 - whatever it was, the process ends here
        traceback.print_exc()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    serve()
