"""`samerun replay`: make recorded steps again from the record, and compare them with what was stored."""

from __future__ import annotations

from pathlib import Path

import click

from samerun.cli.options import verb
from samerun.cli.output import Output
from samerun.errors import ExitCode


@verb("replay")
@click.argument("run", metavar="RUN")
@click.option("--step", type=click.IntRange(min=0), required=True, metavar="N", help="The step to make again.")
@click.option("--until", type=click.IntRange(min=0), metavar="M", help="And every step up to this one, inclusive.")
@click.option("--trust", is_flag=True, help="Run the code of the run's own snapshot.")
@click.option("--dry-run", is_flag=True, help="Say what would be made again, and from where; train nothing.")
def command(
    output: Output, run: str, step: int, until: int | None, trust: bool, dry_run: bool, runs: Path | None
) -> int:
    """Make step N of RUN again in a fresh process and compare it with its row: batch, draws, numbers, state.

    It goes on from the nearest checkpoint that is kept, with the run's own code; the run itself is not written to.
    Exit 0: same; 1: different; 5: the step never happened.
    """
    if dry_run:
        return _plan(output, run, step, until, runs)
    from samerun.rerun.replay import replay

    found = replay(run, step=step, until=until, runs=runs, trust=trust, say=output.note)
    lines = [f"{output.verdict(found.verdict)}: {found.subject}", f"  {found.detail}"]
    if found.first_difference is not None:
        lines.append(f"  first difference: {found.first_difference}")
    output.result(found.as_json(), "\n".join(lines))
    return int(ExitCode.DONE if found.verdict == "same" else ExitCode.DIFFERENT)


def _plan(output: Output, run: str, step: int, until: int | None, runs: Path | None) -> int:
    from samerun.record.find import find_run
    from samerun.record.project import runs_folder
    from samerun.rerun.redo import check_happened
    from samerun.rerun.scratch import nearest_checkpoint

    record = find_run(run, runs_folder(runs))
    last = step if until is None else until
    check_happened(record, step, last + 1)
    begun = nearest_checkpoint(record, step)
    plan = {"dry_run": True, "run": record.folder.as_posix(), "step": step, "until": last, "from_checkpoint": begun}
    output.result(plan, f"would go on from checkpoint {begun} of {record.name} to the end of step {last}")
    return int(ExitCode.DONE)
