"""State that changes from step to step and is saved nowhere, found by making a few steps of a training three times.

One fresh process, which forks: the steps without a stop, their first half, and the rest resumed. What is looked at is
run/carried/'s, what a finding is judge/untracked.py's. `python -m samerun.rerun.untracked` is that process.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from samerun.base import files
from samerun.errors import SamerunError
from samerun.judge.untracked import Untracked, compare_walks
from samerun.record.walked import Walk
from samerun.rerun.answer import Check
from samerun.rerun.child import SURROUNDINGS, child_environment
from samerun.rerun.made import NAME, Making

MOST_STEPS: Final = 6
"""Steps that are looked at: half of them before the stop."""
_NAMED = 3
_IMPORTED_ONCE = ("torch._dynamo", "samerun.run.start", "samerun.tiers.enforce", "samerun.trainers.recipe")
_WORDS = 5


@dataclass(frozen=True)
class Search:
    """What was found; `problem` says why nothing could be looked for, `unseen` what could not be looked into."""

    found: tuple[Untracked, ...] = ()
    unseen: tuple[str, ...] = ()
    problem: str | None = None


def untracked_of(making: Making, folder: Path, steps: int, cwd: Path | None) -> Search:
    """Look for untracked state in the first steps of a training whose runs, and walks, go below the new `folder`.

    `steps` is how many the training has; it is run in `cwd` (default: in `folder`). Never raises for a training that
    fails: the answer then says so.
    """
    until = min(steps, MOST_STEPS)
    if until < 2:
        return Search(problem="one step alone carries nothing")
    files.make_dir(folder)
    job = {
        "recipe": making.recipe,
        "settings": list(making.settings),
        "arguments": list(making.arguments),
        "project": None if making.project is None else str(making.project),
        "data_root": None if making.data_root is None else str(making.data_root),
        "seed": making.seed,
        "folder": str(folder.absolute()),
        "until": until,
    }
    done = subprocess.run(
        [sys.executable, *["-O"] * sys.flags.optimize, "-P", "-m", "samerun.rerun.untracked"],
        cwd=cwd or folder,
        env=child_environment(SURROUNDINGS[0]),
        input=json.dumps(job),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )
    return _answer(folder, [line for line in done.stderr.splitlines() if line.strip()][-_WORDS:])


def _answer(folder: Path, words: list[str]) -> Search:
    try:
        whole, resumed = (Walk.read(folder / f"{name}.json") for name in ("whole", "resumed"))
        return Search(compare_walks(whole, resumed), tuple(dict.fromkeys((*whole.unseen, *resumed.unseen))))
    except (FileNotFoundError, ValueError, SamerunError):
        return Search(
            problem=f"the steps could not be made while they were looked at: {' / '.join(words) or 'no word'}"
        )


def with_untracked(check: Check, search: Search) -> Check:
    """Add what was found to the check of `resume`; where that found a difference, its detail names it too."""
    named = "; ".join(f"{one.path} changed {one.before} -> {one.after} between steps" for one in search.found[:_NAMED])
    more = f" and {len(search.found) - _NAMED} more" if len(search.found) > _NAMED else ""
    detail = f"{check.detail}; not saved: {named}{more}" if named and check.verdict == "different" else check.detail
    return replace(check, detail=detail, untracked=search.found, not_looked_into=_not_looked_into(search))


def _not_looked_into(search: Search) -> tuple[str, ...]:
    return search.unseen if search.problem is None else (search.problem,)


# -- the process -------------------------------------------------------------------------------------------------------


def _serve(job: Mapping[str, Any]) -> None:
    """Make the three parts of the job, each in a process forked from this one, in order."""
    for name in _IMPORTED_ONCE:
        with suppress(ImportError):
            importlib.import_module(name)
    folder, until = Path(job["folder"]), job["until"]
    split = max(1, until // 2)
    for runs, stop, walk in (("whole", until, "whole"), ("stopped", split, None), ("stopped", until, "resumed")):
        process = os.fork()
        if process == 0:
            _part(job, folder / runs, stop, None if walk is None else folder / f"{walk}.json")
        _, status = os.waitpid(process, 0)
        if os.waitstatus_to_exitcode(status):
            return


def _part(job: Mapping[str, Any], runs: Path, stop: int, walk: Path | None) -> None:
    """Train one part in this process, which ends with it."""
    code = 1
    try:
        _train(job, runs, stop, walk)
        code = 0
    except SystemExit as end:
        code = 0 if end.code in (None, 0) else 1
    except Exception:  # noqa: BLE001 - whatever the training raises is the answer
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _train(job: Mapping[str, Any], runs: Path, stop: int, walk: Path | None) -> None:
    from samerun.record.project import project_root
    from samerun.record.subject import is_script
    from samerun.rerun.train import resolve_recipe, start_of, train_config, train_script
    from samerun.run.carried.watch import CarriedWatch
    from samerun.run.launch import LaunchOptions

    recipe, settings = job["recipe"], job["settings"]
    options = LaunchOptions(
        name=None if is_script(recipe) else NAME,
        seed=job["seed"],
        runs=runs,
        argv=tuple(job["arguments"]) if is_script(recipe) else None,
        stop_after=stop,
        is_quiet=True,
        watch=None if walk is None else CarriedWatch(walk, job["until"]),
    )
    if is_script(recipe):
        train_script(Path(recipe), settings, options)
        return
    project = project_root(start_of(recipe)) if job["project"] is None else Path(job["project"])
    data_root = None if job["data_root"] is None else Path(job["data_root"])
    train_config(resolve_recipe(recipe, settings, options, project), options, project, data_root)


if __name__ == "__main__":
    _serve(json.load(sys.stdin))
