"""`samerun resume`: go on with a run from its newest checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from samerun.cli.options import drift_option, setting_option, verb
from samerun.cli.output import Output
from samerun.cli.train import answer, print_plan


@verb("resume")
@click.argument("run", metavar="RUN")
@setting_option
@click.option("--stop-after", type=click.IntRange(min=0), metavar="STEP", help="Checkpoint and stop there (exit 75).")
@click.option("--time-limit", metavar="T", help="Stop while the slowest step and save still fit: 90s, 15min, 2h.")
@drift_option
@click.option("--fallback", is_flag=True, help="Take the newest good checkpoint where the newest is damaged.")
@click.option("--trust", is_flag=True, help="Run the code that a run from elsewhere names.")
@click.option("--dry-run", is_flag=True, help="Say what would go on from where; write and train nothing.")
@click.option("--project", type=click.Path(path_type=Path), hidden=True, help="Where its code lies.")
@click.option("--trace-step", type=int, hidden=True, help="Record the operations of this step.")
@click.option("--trace-file", type=click.Path(path_type=Path), hidden=True, help="Where they are written.")
@click.option("--trace-begun", type=int, default=0, hidden=True, help="The checkpoint that the copy goes on from.")
def command(
    output: Output,
    run: str,
    dry_run: bool,
    runs: Path | None,
    trace_step: int | None,
    trace_file: Path | None,
    trace_begun: int,
    **wishes: Any,
) -> int:
    """Go on with RUN from its newest checkpoint, with its own recipe or script.

    RUN is a folder, a name, the beginning of its folder's name or of its identity, @last or @last~1. Only aside
    values may be set with -s, such as steps=900; for others start a new run.
    """
    from samerun.rerun.resume import resume
    from samerun.rerun.watching import TraceWish

    if dry_run:
        return print_plan(output, _plan(run, runs, wishes["trust"]))
    trace = None if trace_step is None or trace_file is None else TraceWish(trace_step, trace_file, trace_begun)
    with output.own_stdout():
        outcome = resume(run, runs=runs, quiet=output.is_quiet, trace=trace, **wishes)
    return answer(output, outcome)


def _plan(run: str, runs: Path | None, trust: bool) -> Mapping[str, Any]:
    from samerun.record.find import find_run
    from samerun.record.project import runs_folder
    from samerun.rerun.origin import origin_of
    from samerun.rerun.plan import plan_resume

    record = find_run(run, runs_folder(runs))
    return plan_resume(record, origin_of(record, trust=trust, may_be_gone=True))
