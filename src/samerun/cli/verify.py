"""`samerun verify`: prove a run or a recipe, in fresh processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from samerun.cli.options import setting_option, verb
from samerun.cli.output import Output
from samerun.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from samerun.rerun.answer import Check

STYLES = {"same": "green", "different": "red", "cannot_say": "yellow"}


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
@click.option("--split", "splits", callback=_steps, metavar="K[,K..]", help="Stop after these steps.")
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
    from samerun.record.subject import is_recipe
    from samerun.rerun.answer import CHECKS, Wanted
    from samerun.rerun.verify import verify

    if script is not None:
        subject, arguments = script, (arguments if subject is None else (subject, *arguments))
    if subject is None:
        raise click.MissingParameter(ctx=click.get_current_context(), param_type="argument", param_hint="RUN|RECIPE")
    is_run = not is_recipe(subject)
    if is_run and settings:
        raise UsageError("SR-CLI-006", "-s is for a recipe: a run has its settings", do="samerun verify RECIPE -s ...")
    if dry_run:
        wanted = Wanted(tuple(name for name in CHECKS if wishes[name]), steps, splits)
        chosen = list(wanted.settled(is_run, everything=wishes["everything"]).checks)
        output.result({"dry_run": True, "subject": subject, "checks": chosen}, f"would check: {', '.join(chosen)}")
        return int(ExitCode.DONE)
    found = verify(
        subject, **wishes, steps=steps, splits=splits, settings=settings, arguments=arguments, say=output.note
    )
    lines = [f"{output.paint(found.verdict, STYLES[found.verdict])}: {found.subject}"]
    output.result(found.as_json(), "\n".join(lines + [_line(output, check) for check in found.checks]))
    return int(ExitCode.DONE if found.verdict == "same" else ExitCode.DIFFERENT)


def _line(output: Output, check: Check) -> str:
    lines = [f"  {check.name}: {output.paint(check.verdict, STYLES[check.verdict])}, {check.detail}"]
    if check.first_difference is not None:
        lines.append(f"    first difference: {check.first_difference}")
    if check.components:
        lines.append(f"    compared: {', '.join(_component(name, found) for name, found in check.components.items())}")
    if check.rests_on:
        lines.append(f"    rests on: {check.rests_on}")
    without = "" if check.verdict == "different" else " (it did not matter in these steps)"
    lines += [f"    not saved{without}: {found}" for found in check.untracked]
    lines += [f"    not looked into: {what}" for what in check.not_looked_into]
    return "\n".join(lines)


def _component(name: str, found: Mapping[str, Any]) -> str:
    if found["verdict"] == "different":
        return f"{name} different at step {found['first_step']}"
    return f"{name} {found['steps']}" if found["steps"] else f"{name} nowhere"
