"""Processes for the promise tests: each run of a loop is a new process, forked from an idle one that imported it.

Also what "the same run" means when we ask without our own judge: rows, files and digests are read and compared here.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CLOCK = ("time/", "throughput/", "memory/")
OTHER_WORLD = {"PYTHONHASHSEED": "2", "TZ": "XXX-05:45", "LC_ALL": "C"}


class Lab:
    """Runs of the loops in promise_loops, each in a process of its own."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server
        self.words = ""
        """The traceback of the last process that failed."""

    def run(self, function: str, runs: Path, stop_after: int | None = None, **options: Any) -> int:
        """Run a loop; return the exit code: 0 done, 75 stopped, negative for a signal, else what it came to."""
        assert self._server.stdin is not None and self._server.stdout is not None
        question = {"function": function, "runs": str(runs), "stop_after": stop_after, "options": options}
        self._server.stdin.write(json.dumps(question) + "\n")
        self._server.stdin.flush()
        answer = json.loads(self._server.stdout.readline())
        self.words = answer["words"]
        return int(answer["exit"])

    def done(self, function: str, runs: Path, **options: Any) -> dict[str, Any]:
        """Run a loop to its end and return the content of its run folder."""
        code = self.run(function, runs, **options)
        assert code == 0, f"exit {code}\n{self.words}"
        return content(only_run(runs))


@contextmanager
def lab(variables: dict[str, str] | None = None) -> Iterator[Lab]:
    """Open a lab; `variables` are set in the environment of every process in it."""
    here = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    server = subprocess.Popen(
        [sys.executable, "-P", __file__],
        env={**os.environ, "PYTHONPATH": here, **(variables or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None and server.stdout is not None
    try:
        yield Lab(server)
    finally:
        server.stdin.close()
        server.stdout.close()
        server.wait()


def only_run(runs: Path) -> Path:
    """Return the one run folder in `runs`."""
    (folder,) = [path for path in runs.iterdir() if path.is_dir() and not path.name.startswith(".")]
    return folder


def content(folder: Path) -> dict[str, Any]:
    """Read what must be equal in two equal runs: rows without clocks and sums, every leaf of the last checkpoint."""
    last = sorted((folder / "checkpoints").glob("step-*"))[-1]
    index = json.loads((last / "checkpoint.json").read_bytes())
    return {
        "metrics": rows(folder / "metrics.jsonl"),
        "trail": rows(folder / "trail.jsonl"),
        "last": last.name,
        "leaves": {name: facts["leaves"] for name, facts in index["components"].items()},
        "identity": json.loads((folder / "identity.json").read_bytes())["id"],
        "status": json.loads((folder / "manifest.json").read_bytes())["status"],
    }


def rows(path: Path) -> list[dict[str, Any]]:
    """Read the rows of a log without clock columns and sums."""
    return [
        {key: value for key, value in json.loads(line).items() if key != "sum" and not key.startswith(CLOCK)}
        for line in path.read_bytes().splitlines()
    ]


def numbers(found: dict[str, Any], *, without: str) -> dict[str, Any]:
    """Leave out the columns of a group, the digest over them, and what names the run rather than counts in it."""
    metrics = [{key: value for key, value in row.items() if not key.startswith(without)} for row in found["metrics"]]
    trail = [{key: value for key, value in row.items() if key != "loss"} for row in found["trail"]]
    return {"metrics": metrics, "trail": trail, "leaves": found["leaves"]}


# -- the server --------------------------------------------------------------------------------------------------------


def serve() -> None:
    """Answer the questions on standard input, each in a process forked for it alone."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    import promise_loops

    from samerun.testing import _warm_up

    _warm_up()
    for line in sys.stdin:
        question = json.loads(line)
        reader, writer = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(reader)
            code = one(promise_loops, question, writer)
            # Exit hooks run (workers end by them); taking torch's modules apart, over a second, is left out.
            atexit._run_exitfuncs()
            os._exit(code)
        os.close(writer)
        with os.fdopen(reader, "rb") as words:
            text = words.read().decode(errors="replace")
        _, status = os.waitpid(process, 0)
        answers.write(json.dumps({"exit": os.waitstatus_to_exitcode(status), "words": text}) + "\n")
        answers.flush()


def one(loops: Any, question: dict[str, Any], writer: int) -> int:
    """Run one loop here."""
    from samerun.errors import SamerunError
    from samerun.run.launch import LaunchOptions, set_options

    set_options(
        LaunchOptions(
            runs=Path(question["runs"]),
            stop_after=question["stop_after"],
            is_quiet=True,
            is_fallback=question["options"].get("fallback", False),
            is_new=question["options"].get("new", False),
        )
    )
    try:
        getattr(loops, question["function"])(question["options"])
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except Exception as error:  # noqa: BLE001 - what the loop raises is the answer
        os.write(writer, traceback.format_exc().encode())
        return int(error.exit_code) if isinstance(error, SamerunError) else 70
    return 0


if __name__ == "__main__":
    serve()
