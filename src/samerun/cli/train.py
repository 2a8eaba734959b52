"""`samerun train`: start a run from a recipe or a Python script, or go on with the one of that name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samerun.cli.options import setting_option, verb
from samerun.cli.output import Output, pairs
from samerun.errors import ExitCode

if TYPE_CHECKING:
    from samerun.rerun.outcome import Outcome

STYLES = {"completed": "green", "stopped": "yellow"}


@verb("train")
@click.argument("recipe", metavar="RECIPE")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGS]")
@setting_option
@click.option("--name", help="Label of the run; its folder is <name>-<id8>.")
@click.option("--seed", metavar="N", help="Master seed, 0 <= N < 2^128.")
@click.option("--tier", type=click.Choice(["exact", "fast"]), help="What is promised about arithmetic.")
@click.option("--stop-after", type=click.IntRange(min=0), metavar="STEP", help="Checkpoint and stop there (exit 75).")
@click.option("--time-limit", metavar="T", help="Stop while the slowest step and save still fit: 90s, 15min, 2h.")
@click.option("--new", "is_new", is_flag=True, help="A fresh run, even where one of this name and identity exists.")
@click.option("--guard", type=click.Choice(["raise", "record"]), help="Catch draws that a second run would not repeat.")
@click.option("--continue-only", is_flag=True, help="Exit 3 rather than begin at step 0.")
@click.option("--allow-dirty", is_flag=True, help="Start also where the record cannot give the work tree back.")
@click.option("--dry-run", is_flag=True, help="Say what would be started; write and train nothing.")
@click.option("--project", type=click.Path(path_type=Path), help="Root of the project of a recipe.")
@click.option("--data-root", type=click.Path(path_type=Path), hidden=True, help="Where relative paths of data start.")
@click.option("--not-from", type=click.Path(path_type=Path), hidden=True, help="Import nothing from this folder.")
@click.option("--mishap", metavar="JSON", hidden=True, help="Come to harm in a step, as a proof wants it.")
@click.option("--walk", type=click.Path(path_type=Path), hidden=True, help="Where the carried state is written.")
@click.option("--walk-until", type=int, default=0, hidden=True, help="Up to how many completed steps.")
def command(
    output: Output,
    recipe: str,
    is_new: bool,
    dry_run: bool,
    runs: Path | None,
    not_from: Path | None,
    mishap: str | None,
    walk: Path | None,
    walk_until: int,
    **wishes: Any,
) -> int:
    """Start the run that RECIPE describes, or go on with it.

    RECIPE is a recipe file, the name of a built-in recipe, or a Python script that calls samerun.start; what follows
    -- is handed to the script. Starting again with the same name and identity goes on from the newest checkpoint.
    """
    from samerun.rerun.reproducing.paths import import_nothing_from
    from samerun.rerun.train import train
    from samerun.rerun.watching import WalkWish, watch_of

    if not_from is not None:
        import_nothing_from(not_from)
    if dry_run:
        return print_plan(output, _plan(recipe, runs, is_new, wishes))
    watch = watch_of(mishap, None if walk is None else WalkWish(walk, walk_until))
    with output.own_stdout():
        outcome = train(recipe, runs=runs, new=is_new, quiet=output.is_quiet, watch=watch, say=output.note, **wishes)
    return answer(output, outcome)


def _plan(recipe: str, runs: Path | None, is_new: bool, wishes: Mapping[str, Any]) -> Mapping[str, Any]:
    from samerun.record.project import project_root, runs_folder
    from samerun.record.subject import is_script
    from samerun.rerun.plan import plan_recipe, plan_script
    from samerun.rerun.train import resolve_recipe, start_of
    from samerun.rerun.wishes import seed_of
    from samerun.run.launch import LaunchOptions

    start = start_of(recipe)
    options = LaunchOptions(
        name=wishes["name"],
        seed=seed_of(wishes["seed"]),
        tier=wishes["tier"],
        runs=runs_folder(runs, start),
        argv=wishes["arguments"],
        is_new=is_new,
    )
    if is_script(recipe):
        return plan_script(Path(recipe), options)
    project = wishes["project"] or project_root(start)
    return plan_recipe(resolve_recipe(recipe, wishes["settings"], options, project), options, project)


def answer(output: Output, outcome: Outcome) -> int:
    """Print an outcome and return its exit code: 75 for a run that was stopped and can go on."""
    document = outcome.as_json()
    facts = [
        ("run", document["run"]),
        ("step", document["step"]),
        ("identity", document["identity"]),
        ("state", document["state_digest"]),
        ("checkpoint", document["checkpoint"]),
        *document["metrics"].items(),
    ]
    head = output.paint(outcome.status, STYLES.get(outcome.status, "red"))
    if outcome.was_complete:
        head += ": was complete already: nothing was trained"
    output.result(document, "\n".join([head, *pairs(facts, indent="  ")]))
    if outcome.status == "stopped":
        output.note(f"go on with: samerun resume {outcome.folder.as_posix()}")
        return int(ExitCode.STOPPED)
    return int(ExitCode.DONE)


def print_plan(output: Output, plan: Mapping[str, Any]) -> int:
    """Print what a dry run found."""
    output.result({"dry_run": True, **plan}, "\n".join(["would do:", *pairs(plan.items(), indent="  ")]))
    return int(ExitCode.DONE)
