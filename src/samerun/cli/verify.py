"""`samerun verify`: prove a run or a recipe, in fresh processes."""

from __future__ import annotations

from typing import Any

import click

from samerun.cli.options import setting_option, verb
from samerun.cli.output import Output
from samerun.errors import ExitCode, UsageError


def _steps(_: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, ...]:
    if value is None:
        return ()
    try:
        steps = tuple(int(part) for part in value.split(","))
    except ValueError:
        steps = (0,)
    if min(steps) < 1:
        raise click.BadParameter(f"{value!r} is no list of steps such as 1,7,12", param=parameter)
    return steps


@verb("verify")
@click.argument("subject", metavar="RUN|RECIPE", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGS]")
@click.option("--script", metavar="FILE", help="The subject is this Python script.")
@click.option("--files", is_flag=True, help="Read every file of a run against its digests.")
@click.option("--repeat", is_flag=True, help="Train again in a fresh process and compare.")
@click.option("--resume", is_flag=True, help="Stop at the splits, resume, stop a step later, resume, and compare.")
@click.option("--neutral", is_flag=True, help="Flip each aside setting, one at a time, and compare.")
@click.option("--here", is_flag=True, help="Train a run again with the code and packages that are here now.")
@click.option("--portable", is_flag=True, help="What holds on other machines: needs a tier that is not there yet.")
@click.option("--all", "everything", is_flag=True, help="Everything that applies.")
@click.option("--steps", type=click.IntRange(min=1), metavar="N", help="Steps of each training (default: all).")
@click.option("--split", "splits", callback=_steps, metavar="K[,K..]", help="Stop after these steps; means --resume.")
@click.option("--trust", is_flag=True, help="Run the code of a run's own snapshot.")
@click.option("--dry-run", is_flag=True, help="Say what would be proved; train nothing.")
@setting_option
def command(
    output: Output,
    subject: str | None,
    arguments: tuple[str, ...],
    script: str | None,
    settings: tuple[str, ...],
    dry_run: bool,
    steps: int | None,
    splits: tuple[int, ...],
    **wishes: Any,
) -> int:
    """Prove that RUN or RECIPE is a function of its settings.

    Without a choice: --files for a run, --repeat and --resume for a recipe. Splits are chosen to hurt unless they are
    named: after the first step, inside an epoch, at its boundary, right before and after an evaluation and a
    checkpoint, before the last step. Exit 0: same; 1: different, or it cannot be said. The result for a run is kept in
    its verification.json.
    """
    from samerun.record.find import find_run
    from samerun.record.project import runs_folder
    from samerun.record.subject import is_recipe
    from samerun.rerun.answer import CHECKS, Wanted
    from samerun.rerun.proof_text import proof_text
    from samerun.rerun.verify import verify

    if script is not None:
        subject, arguments = script, (arguments if subject is None else (subject, *arguments))
    if subject is None:
        raise click.MissingParameter(ctx=click.get_current_context(), param_type="argument", param_hint="RUN|RECIPE")
    is_run = not is_recipe(subject)
    if is_run and settings:
        raise UsageError("SR-CLI-006", "-s is for a recipe: a run has its settings", do="samerun verify RECIPE -s ...")
    if dry_run:
        if is_run:
            find_run(subject, runs_folder(wishes["runs"]))
        wanted = Wanted(tuple(name for name in CHECKS if wishes[name]), steps, splits)
        chosen = list(wanted.settled(is_run, everything=wishes["everything"]).checks)
        output.result({"dry_run": True, "subject": subject, "checks": chosen}, f"would check: {', '.join(chosen)}")
        return int(ExitCode.DONE)
    found = verify(
        subject, **wishes, steps=steps, splits=splits, settings=settings, arguments=arguments, say=output.note
    )
    text = proof_text(
        found,
        is_quiet=output.is_quiet,
        is_long=output.verbosity > 0,
        paint=output.verdict,
    )
    output.result(found.as_json(), text)
    return int(ExitCode.DONE if found.verdict == "same" else ExitCode.DIFFERENT)
