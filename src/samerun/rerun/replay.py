"""The verb `replay`: make recorded steps again from the record, and compare them with what was stored.

How steps are made again is redo.py's, how rows are compared judge/stretch.py's. What other trainers replay (episodes,
trajectories) is a `Subject` like the stretch of steps here: what was asked for, made again, compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.errors import UsageError
from samerun.judge.difference import Answer, Difference
from samerun.judge.stretch import StretchComparison, compare_stretch
from samerun.record.find import find_run
from samerun.record.project import runs_folder
from samerun.rerun.redo import check_happened, names_of, remaking
from samerun.rerun.workplace import Say, workplace


@dataclass(frozen=True)
class Replay:
    """The answer of `replay`."""

    subject: str
    """What was made again: `run x-0123abcd, steps 7 to 9`."""
    verdict: Answer
    detail: str
    compared: dict[str, Any]
    """Steps and parts that were compared, what was not, and the checkpoint that it went on from."""
    first_difference: Difference | None

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in `--json`, less the schema."""
        first = self.first_difference
        return {
            "verdict": self.verdict,
            "subject": self.subject,
            "detail": self.detail,
            "compared": self.compared,
            "first_difference": None if first is None else first.as_json(),
        }


def replay(
    run: str | Path,
    *,
    step: int,
    until: int | None = None,
    runs: Path | None = None,
    trust: bool = False,
    say: Say = lambda text: None,
) -> Replay:
    """Make step `step` of a run again (and those up to `until`, inclusive) in a fresh process, and compare each.

    The state before it comes from the nearest checkpoint that is kept; the steps between are made again, too. Its
    own code is needed: what is here, or its snapshot with `trust`. Nothing is written to the run. Raises NoMatchError
    SR-REPLAY-001 (exit 5) for a step that never happened, UsageError SR-REPLAY-003 for an `until` before `step`,
    RefusedError where code or platform moved.
    """
    record = find_run(str(run), runs_folder(runs))
    last = step if until is None else until
    if last < step:
        raise UsageError("SR-REPLAY-003", f"--until {last} comes before --step {step}", do="--until STEP or later")
    check_happened(record, step, last + 1)
    with workplace(record.folder.parent, "replay") as folder:
        again = remaking(record, folder, trust=trust)
        say(f"making {names_of([step, last] if last > step else [step])} again")
        made = again.steps(step, last + 1)
        found = compare_stretch(record, made.record, step, last + 1)
    what = f"{record.name}, {names_of(range(step, last + 1))}"
    compared = {
        "steps": list(found.steps),
        "parts": list(found.parts),
        "not_compared": list(found.not_compared),
        "from_checkpoint": made.begun,
        "steps_repeated": step - made.begun,
    }
    return Replay(what, found.answer, _detail(found, made.begun, step), compared, found.first)


def _detail(found: StretchComparison, begun: int, step: int) -> str:
    between = f", {step - begun} steps repeated before it" if begun < step else ""
    rest = f"; not recorded, so not compared: {', '.join(found.not_compared)}" if found.not_compared else ""
    return f"from checkpoint {begun}{between}; compared {', '.join(found.parts)}{rest}"
