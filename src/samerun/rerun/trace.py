"""The verb `trace`: make one recorded step again and list every operation that torch dispatches in it.

The recorder is in tracing/, the file record/trace.py, the comparison judge/operations.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.judge.difference import Answer, Difference
from samerun.judge.stretch import compare_stretch
from samerun.record.find import find_run
from samerun.record.output import check_output
from samerun.record.project import runs_folder
from samerun.record.trace import Trace
from samerun.rerun.redo import check_happened, remaking
from samerun.rerun.workplace import Say, workplace


@dataclass(frozen=True)
class Traced:
    """The answer of `trace`."""

    run: str
    step: int
    path: Path
    num_operations: int
    begun: int
    """The checkpoint that it went on from."""
    verdict: Answer
    """Whether the step that was made again is the one that was recorded."""
    first_difference: Difference | None

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in `--json`, less the schema."""
        first = self.first_difference
        return {
            "run": self.run,
            "step": self.step,
            "file": self.path.as_posix(),
            "operations": self.num_operations,
            "from_checkpoint": self.begun,
            "verdict": self.verdict,
            "first_difference": None if first is None else first.as_json(),
        }


def trace(
    run: str | Path,
    *,
    step: int,
    output: Path,
    runs: Path | None = None,
    trust: bool = False,
    say: Say = lambda text: None,
) -> Traced:
    """Make step `step` of a run again in a fresh process and write its operations to `output`.

    For each: name, module, source line, thread, and the digest of every input and output, in execution order, forward,
    backward and optimizer alike. The step is compared with its row, so that the file is known to describe what
    happened. Errors as `replay`, and `check_output`'s for `output`.
    """
    record = find_run(str(run), runs_folder(runs))
    check_happened(record, step, step + 1)
    check_output(output)
    with workplace(record.folder.parent, "trace") as folder:
        say(f"making step {step} again, recording its operations")
        made = remaking(record, folder, trust=trust).steps(step, step + 1, trace_step=step)
        found = compare_stretch(record, made.record, step, step + 1)
        assert made.trace is not None
        recorded = Trace.read(made.trace)
        recorded.write(output)
    return Traced(record.name, step, output, len(recorded.operations), made.begun, found.answer, found.first)
