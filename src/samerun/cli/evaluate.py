"""`samerun evaluate`: measure a checkpoint of a run; its record stays untouched."""

from __future__ import annotations

from pathlib import Path

import click

from samerun.cli.options import drift_option, verb
from samerun.cli.output import Output, pairs


@verb("evaluate")
@click.argument("run", metavar="RUN")
@click.option("--checkpoint", default="last", metavar="STEP|best|last", help="Which checkpoint (default: last).")
@click.option("--split", default="test", metavar="NAME", help="Which split of the data (default: test).")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N items.")
@click.option("--tag", metavar="TAG", help="Name of evaluations/<tag>.json (default: split and step).")
@click.option("-o", "out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a copy there.")
@drift_option
@click.option("--trust", is_flag=True, help="Run the code that a run from elsewhere names.")
@click.option("--dry-run", is_flag=True, help="Say what would be measured; write nothing.")
def command(
    output: Output,
    run: str,
    checkpoint: str,
    split: str,
    limit: int | None,
    tag: str | None,
    out: Path | None,
    allow_drift: tuple[str, ...],
    trust: bool,
    dry_run: bool,
    runs: Path | None,
) -> None:
    """Evaluate a checkpoint of RUN with the run's own settings, code and data.

    Writes evaluations/<tag>.json beside the run's rows, and nothing into them.
    """
    if dry_run:
        _plan(output, run, checkpoint, split, runs)
        return
    from samerun.record.output import check_output
    from samerun.rerun.evaluate import evaluate

    if out is not None:
        check_output(out)
    with output.own_stdout():
        found = evaluate(
            run,
            checkpoint=checkpoint,
            split=split,
            limit=limit,
            tag=tag,
            out=out,
            runs=runs,
            allow_drift=allow_drift,
            trust=trust,
        )
    facts = [("run", found.run.as_posix()), ("checkpoint", found.checkpoint), ("split", found.split)]
    output.result(found.as_json(), "\n".join(pairs([*facts, *found.metrics.items()])))
    for name in found.drift:
        output.note(f"measured although {name} moved")
    if not found.is_same_platform:
        output.note("measured on another platform than the run was trained on: bits may differ")


def _plan(output: Output, run: str, checkpoint: str, split: str, runs: Path | None) -> None:
    from samerun.base.text import human_bytes
    from samerun.record.find import find_run
    from samerun.record.project import runs_folder
    from samerun.rerun.choice import checkpoint_of

    record = find_run(run, runs_folder(runs))
    info = checkpoint_of(record, checkpoint)
    document = {"dry_run": True, "run": record.folder, "step": info.step, "split": split, "size_bytes": info.nbytes}
    text = f"would read {info.path.name} of {record.name} ({human_bytes(info.nbytes)}) and evaluate it on {split}"
    output.result(document, text)
