"""Steps of a recorded run made again in a fresh process, from the nearest checkpoint before them, with their own code.

`replay`, `trace` and `diff --deep` stand on this. The record is copied first (scratch.py) and never written to; what is
compared with it afterwards is decided by whoever asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from samerun.base import files
from samerun.errors import InternalError, NoMatchError
from samerun.record.progress import progress_of
from samerun.record.reader import RunRecord
from samerun.rerun.child import run_samerun
from samerun.rerun.made import Making
from samerun.rerun.origin import RECIPE
from samerun.rerun.recorded import making_of_run
from samerun.rerun.scratch import make_scratch, nearest_checkpoint
from samerun.rerun.surroundings import SURROUNDINGS, Surroundings
from samerun.rerun.watching import TraceWish

NEVER = 1_000_000_000
"""Steps between checkpoints of a stretch: none is wanted inside it."""


@dataclass(frozen=True)
class Redone:
    """A stretch that was made again: the copy of the run, whose rows from `begun` on are new."""

    record: RunRecord
    begun: int
    """The checkpoint it went on from: the steps from there on were made again."""
    trace: Path | None = None


@dataclass(frozen=True)
class Remaking:
    """How the steps of one record are made again: its code, found or written down once."""

    record: RunRecord
    making: Making
    folder: Path
    """An empty folder for copies, beside the runs."""

    def steps(
        self, first: int, until: int, *, trace_step: int | None = None, number: int = 0, begin: int | None = None
    ) -> Redone:
        """Make the steps from `first` up to (not with) `until` again, and those between the checkpoint and `first`.

        `number` tells repetitions apart: it chooses the surroundings. `begin` is another checkpoint than the nearest.
        Raises NoMatchError SR-REPLAY-001 for steps that never happened, MissingError SR-REPLAY-002 for no checkpoint,
        and the child's own error where it fails.
        """
        check_happened(self.record, first, until)
        begun = nearest_checkpoint(self.record, first) if begin is None else begin
        place = self.folder / f"stretch-{begun}-{until}-{number}"
        runs = place / "runs"
        scratch = make_scratch(self.record, begun, runs, self.making.project)
        wish = None if trace_step is None else TraceWish(trace_step, place / "trace.json", begun)
        outcome = run_samerun(
            self._command(scratch, until, wish),
            self._surroundings(number),
            self._cwd(place),
            imports=self.making.imports(),
        )
        made = RunRecord.open(Path(outcome.document["run"]))
        if progress_of(made).step < until or (wish is not None and not wish.path.is_file()):
            raise InternalError(
                "SR-REPLAY-070",
                f"step {until - 1} of {self.record.name} was not made again",
                evidence=[f"the copy came to step {progress_of(made).step}"],
                do="report this",
            )
        return Redone(made, begun, None if wish is None else wish.path)

    def _command(self, scratch: Path, until: int, wish: TraceWish | None) -> list[str]:
        command = ["resume", str(scratch.absolute()), "--runs", str(scratch.parent.absolute()), "--trust"]
        command += ["--stop-after", str(until), "-s", "trail.state_every=1", "-s", f"checkpoint.every={NEVER}"]
        if self.record.manifest.entry.kind == RECIPE:
            command += ["-s", f"steps={max(until, self._steps())}"]
        if self.making.project is not None:
            command += ["--project", str(self.making.project)]
        if wish is not None:
            command += ["--trace-step", str(wish.step), "--trace-file", str(wish.path.absolute())]
            command += ["--trace-begun", str(wish.begun)]
        return command

    def _steps(self) -> int:
        # A run that was trained on reaches further than its first settings say.
        return max(int(self.record.config.values.get("steps", 0)), progress_of(self.record).step)

    def _surroundings(self, number: int) -> Surroundings:
        around = SURROUNDINGS[number % len(SURROUNDINGS)]
        return around.with_kernels(self.record.identity.platform.get("variables", {}))

    def _cwd(self, place: Path) -> Path:
        return self.making.home or self.making.project or place


def check_happened(record: RunRecord, first: int, until: int) -> None:
    """Refuse steps that are in no row. Raises NoMatchError SR-REPLAY-001."""
    done = progress_of(record).step
    if 0 <= first < until <= done:
        return
    raise NoMatchError(
        "SR-REPLAY-001",
        f"step {first if first >= done or first < 0 else until - 1} of {record.name} never happened",
        evidence=[f"the run has completed {done} steps: 0 to {done - 1}" if done else "the run has completed no step"],
        do="choose a step that it has made (samerun show RUN)",
    )


def remaking(record: RunRecord, folder: Path, *, trust: bool = False) -> Remaking:
    """Prepare to make steps of `record` again in the folder `folder`.

    Raises RefusedError SR-VERIFY-003 where its code is not what is here and its snapshot is not trusted, CodeIsLost
    where it is nowhere as it was.
    """
    files.make_dir(folder)
    return Remaking(record, making_of_run(record, trust=trust).prepared(folder), folder)


def names_of(steps: Sequence[int]) -> str:
    """Spell a stretch: `step 7`, `steps 7 to 9`."""
    return f"step {steps[0]}" if len(steps) == 1 else f"steps {steps[0]} to {steps[-1]}"
