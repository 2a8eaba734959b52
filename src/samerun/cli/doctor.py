"""`samerun doctor`: what this machine can promise, what is missing, and what exactness costs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from samerun.cli.options import setting_option, verb
from samerun.cli.output import Output, table
from samerun.errors import UsageError

if TYPE_CHECKING:
    from samerun.rerun.price import Price
    from samerun.rerun.ratios import Ratio
    from samerun.tiers.doctor import Line

MARKS = {"ok": ("ok", "green"), "note": ("note", "yellow"), "missing": ("missing", "red")}
HEADER = ["setting", "ratio", "95 % interval", "ms a step", "collect", "learn", "settle"]


@verb("doctor")
@click.argument("recipe", metavar="[RECIPE]", required=False)
@setting_option
@click.option("--price", "is_price", is_flag=True, help="Measure what exactness costs a step of RECIPE here.")
@click.option("--steps", type=int, metavar="N", help="Steps of each run of --price.")
@click.option("--blocks", type=int, metavar="N", help="Blocks of --price; each runs every setting once.")
def command(
    output: Output,
    recipe: str | None,
    settings: tuple[str, ...],
    is_price: bool,
    steps: int | None,
    blocks: int | None,
    runs: Path | None,
) -> None:
    """Say what each tier can promise on this machine, and why; with a RECIPE also whether it can be kept.

    The facts come from a child process that asks torch once; they are cached until torch, the driver, the boot or a
    variable that chooses kernels changes.
    """
    if is_price and recipe is not None:
        return _price(output, recipe, settings, steps, blocks, runs)
    if is_price or settings or steps is not None or blocks is not None:
        raise UsageError(
            "SR-PRICE-003",
            "--price needs a recipe" if is_price else "-s, --steps and --blocks are options of --price",
            do="samerun doctor RECIPE --price",
        )
    from samerun.rerun.fitness import fitness
    from samerun.tiers.doctor import diagnose

    lines = [*diagnose(), *fitness(recipe)]
    text = "\n".join(f"{_mark(output, line)}  {line.topic}: {line.text}" for line in lines)
    output.result({"lines": [line.as_json() for line in lines]}, text)


def _mark(output: Output, line: Line) -> str:
    word, style = MARKS[line.state]
    return output.paint(word.ljust(7), style)


def _price(
    output: Output, recipe: str, settings: tuple[str, ...], steps: int | None, blocks: int | None, runs: Path | None
) -> None:
    from samerun.rerun.price import BLOCKS, STEPS, price

    with output.own_stdout():
        found = price(
            recipe,
            settings,
            steps=STEPS if steps is None else steps,
            blocks=BLOCKS if blocks is None else blocks,
            runs=runs,
            say=output.note,
        )
    output.result({"price": found.as_json()}, "\n".join(_lines(found)))


def _lines(found: Price) -> Iterator[str]:
    yield (
        f"what exactness costs a step of {found.recipe} here ({found.date}, {found.device}; threads: "
        f"{found.threads['exact']} under exact, {found.threads['fast']} under fast; {found.steps} steps in each of "
        f"{found.blocks} blocks)"
    )
    rows = [
        [
            name,
            f"{cost.step.ratio:.2f}",
            _interval(cost.step),
            f"{1000 * cost.step.seconds_with:.2f} / {1000 * cost.step.seconds_without:.2f}",
            *(_phase(cost.phases[phase]) for phase in HEADER[4:]),
        ]
        for name, cost in found.settings.items()
    ]
    yield from table(rows, HEADER)
    yield ""
    yield from (f"{name}: {cost.words}" for name, cost in found.settings.items())
    yield "~ a difference within the noise of these blocks: 1 lies in the interval"


def _interval(ratio: Ratio) -> str:
    return f"{ratio.low:.2f} .. {ratio.high:.2f}" + (" ~" if ratio.is_noise else "")


def _phase(ratio: Ratio) -> str:
    return f"{ratio.ratio:.2f}" + (" ~" if ratio.is_noise else "")
