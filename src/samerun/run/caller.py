"""Who called `samerun.start`: a script that can be started again, a function inside something else, or a notebook."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from samerun.base.redact import redact, remember_environment, remember_found
from samerun.base.shareable import shareable
from samerun.config.problems import is_unicode, printable
from samerun.errors import UsageError
from samerun.record.local import recorded_arguments
from samerun.record.manifest import Entry
from samerun.record.project import project_root
from samerun.run.alone import exit_with_our_codes
from samerun.run.launch import LaunchOptions


def caller_file() -> Path | None:
    """Return the file that called `samerun.start`; `None` for a prompt or notebook cell."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "samerun":
        frame = frame.f_back
    path = Path(frame.f_code.co_filename)
    return path.resolve() if path.is_file() else None


def check_process() -> None:
    """Make this process fit to train in: not a worker's, and one whose exit code says what became of it."""
    _refuse_in_worker()
    exit_with_our_codes()
    remember_environment(os.environ)
    remember_found(sys.argv, redact(sys.argv)[0])


def _refuse_in_worker() -> None:
    """Refuse (SR-RUN-024) to start a run in a process that only imports the script to load its data."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__") == "__mp_main__":
            raise UsageError(
                "SR-RUN-024",
                "samerun.start was reached in a worker process",
                evidence=("a loader worker imports the script to find the data set's class",),
                do='put the training under `if __name__ == "__main__":`',
            )
        frame = frame.f_back  # type: ignore[assignment]


def executed_cells() -> dict[str, bytes]:
    """Return the cells that a notebook or an interactive session has executed, in order; none at a plain prompt."""
    shell = sys.modules.get("IPython")
    session = None if shell is None else shell.get_ipython()
    if session is None:
        return {}
    return {f"cell-{number:04d}.py": text.encode() for number, text in enumerate(session.user_ns.get("In", ())) if text}


def entry_of(script: Path | None, root: Path, options: LaunchOptions) -> Entry:
    """Say what started this: a script that `resume` can start again, or a loop inside something else.

    Raises UsageError SR-RUN-027 for an argument of the script that no record can hold.
    """
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    if script is None or main is None:
        return Entry("loop")
    is_main = Path(main).resolve() == script
    argv = tuple(sys.argv[1:]) if options.argv is None else options.argv
    if is_main and (bad := [argument for argument in argv if not is_unicode(argument)]):
        raise UsageError(
            "SR-RUN-027",
            "an argument of the script is no Unicode text, which its record cannot hold",
            evidence=tuple(printable(argument) for argument in bad),
            do="give it in UTF-8; a file name that is not UTF-8 can be renamed",
        )
    shown = shareable(list(argv) if is_main else [])
    return Entry("script" if is_main else "loop", tuple(shown), script.relative_to(root).as_posix())


def local_paths(script: Path | None, options: LaunchOptions) -> dict[str, Any]:
    """Return what only this machine knows of the run: its folders, and the arguments with the paths in them."""
    paths = {"cwd": Path.cwd(), "root": project_root(script or Path.cwd()), "script": script or ""}
    argv = tuple(sys.argv[1:]) if options.argv is None else options.argv
    known = recorded_arguments([argument for argument in argv if is_unicode(argument)])
    return {**{name: printable(str(path)) for name, path in paths.items()}, **known}
