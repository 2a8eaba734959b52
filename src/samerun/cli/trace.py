"""`samerun trace`: the operations of one recorded step, each with digests of what went in and out."""

from __future__ import annotations

from pathlib import Path

import click

from samerun.cli.options import verb
from samerun.cli.output import Output
from samerun.errors import ExitCode


@verb("trace")
@click.argument("run", metavar="RUN")
@click.option("--step", type=click.IntRange(min=0), required=True, metavar="N", help="The step to make again.")
@click.option(
    "-o",
    "out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="Where the trace goes; a file that stands there is replaced.",
)
@click.option("--trust", is_flag=True, help="Run the code of the run's own snapshot.")
def command(output: Output, run: str, step: int, out: Path, trust: bool, runs: Path | None) -> int:
    """Make step N of RUN again in a fresh process and write down every operation that torch dispatches in it.

    `samerun diff FILE FILE` compares two traces, also from two machines. Exit 0: the step is the one that was
    recorded; 1: it came out different, and the trace is of what it does here; 5: the step never happened.
    """
    from samerun.rerun.trace import trace

    found = trace(run, step=step, output=out, runs=runs, trust=trust, say=output.note)
    lines = [f"{found.num_operations} operations of step {step} of {found.run}, from checkpoint {found.begun}: {out}"]
    if found.verdict != "same":
        lines.append(f"  it is not the step that was recorded: {found.first_difference}")
    output.result(found.as_json(), "\n".join(lines))
    return int(ExitCode.DONE if found.verdict == "same" else ExitCode.DIFFERENT)
