"""`samerun verify`: prove a run or a recipe, in fresh processes."""

from __future__ import annotations

from pathlib import Path
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
@click.argument("subject", metavar="RUN|RECIPE")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGS]")
@click.option("--files", is_flag=True, help="Read every file of a run against its digests.")
@click.option("--repeat", is_flag=True, help="Train again in a fresh process and compare.")
@click.option("--resume", is_flag=True, help="Stop at the splits, resume, stop a step later, resume, and compare.")
@click.option("--steps", type=click.IntRange(min=1), metavar="N", help="Steps of each training (default: all).")
@click.option("--split", "splits", callback=_steps, metavar="K[,K..]", help="Stop after these steps.")
@click.option("--trust", is_flag=True, help="Run the code of a run's own snapshot.")
@click.option("--dry-run", is_flag=True, help="Say what would be proved; train nothing.")
@setting_option
def command(
    output: Output,
    subject: str,
    arguments: tuple[str, ...],
    settings: tuple[str, ...],
    trust: bool,
    dry_run: bool,
    runs: Path | None,
    **wanted: Any,
) -> int:
    """Prove that RUN or RECIPE is a function of its settings.

    Without a choice: --files for a run, --repeat and --resume for a recipe. Splits are chosen to hurt unless they are
    named: after the first step, inside an epoch, at its boundary, right before and after an evaluation and a
    checkpoint, before the last step. Exit 0: same; 1: different, or it cannot be said. The result for a run is kept in
    its verification.json.
    """
    from samerun.record.subject import is_recipe
    from samerun.rerun.answer import Wanted
    from samerun.rerun.verify import verify

    is_run = not is_recipe(subject)
    if is_run and settings:
        raise UsageError("SR-CLI-006", "-s is for a recipe: a run has its settings", do="samerun verify RECIPE -s ...")
    wish = Wanted(**wanted).settled(is_run)
    if dry_run:
        chosen = [name for name in ("files", "repeat", "resume") if getattr(wish, name)]
        output.result({"dry_run": True, "subject": subject, "checks": chosen}, f"would check: {', '.join(chosen)}")
        return int(ExitCode.DONE)
    found = verify(subject, **wanted, settings=settings, arguments=arguments, runs=runs, trust=trust, say=output.note)
    lines = [f"{output.paint(found.verdict, STYLES[found.verdict])}: {found.subject}"]
    output.result(found.as_json(), "\n".join(lines + [_line(output, check) for check in found.checks]))
    return int(ExitCode.DONE if found.verdict == "same" else ExitCode.DIFFERENT)


def _line(output: Output, check: Check) -> str:
    lines = [f"  {check.name}: {output.paint(check.verdict, STYLES[check.verdict])}, {check.detail}"]
    if check.first_difference is not None:
        lines.append(f"    first difference: {check.first_difference}")
    without = "" if check.verdict == "different" else " (it did not matter in these steps)"
    lines += [f"    not saved{without}: {found}" for found in check.untracked]
    lines += [f"    not looked into: {what}" for what in check.not_looked_into]
    return "\n".join(lines)
