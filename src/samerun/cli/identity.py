"""`samerun identity`: every fact, its group, its digest, the id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samerun.cli.options import setting_option, verb
from samerun.cli.output import Output, pairs
from samerun.record.layout import NO_INPUTS

if TYPE_CHECKING:
    from samerun.rerun.identity import IdentityFacts


@verb("identity")
@click.argument("subject", metavar="RECIPE|RUN")
@setting_option
def command(output: Output, subject: str, settings: tuple[str, ...], runs: Path | None) -> None:
    """Show every fact that makes two runs the same experiment on the same platform, and the id that they give.

    Of a RECIPE, the facts a start would have now; digests of data and starting weights join when the run starts.
    """
    from samerun.rerun.identity import identity

    found = identity(subject, settings, runs=runs)
    output.result(found.as_json(), "\n".join(_lines(output, found)))
    if not found.is_complete:
        output.note("digests of data and starting weights join the identity when the run starts")


def _lines(output: Output, found: IdentityFacts) -> Iterator[str]:
    unknown = "not known before the seed is drawn"
    yield f"{output.paint(found.id or unknown, 'bold')}  {found.subject}"
    groups = (
        ("experiment", found.experiment, found.experiment_digest or unknown),
        ("platform", found.platform, found.platform_digest),
    )
    for name, facts, digest in groups:
        yield f"{output.paint(name, 'bold')}  {digest}"
        yield from pairs(_flat(facts), indent="  ")
    yield from (f"needs a secret: {path} from {place}" for path, place in found.secrets.items())
    if found.lacks_inputs:
        yield f"inputs: {NO_INPUTS}"


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
