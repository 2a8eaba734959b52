"""`samerun diff`: two records side by side, from identity to the first step, component and leaf that differs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samerun.cli.options import verb
from samerun.cli.output import Output, spell
from samerun.errors import ExitCode

if TYPE_CHECKING:
    from samerun.judge.difference import Verdict

STYLES = {"same": "green", "different": "red", "cannot_say": "yellow"}
SHOWN = 20


@verb("diff")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
def command(output: Output, a: str, b: str, runs: Path | None) -> int:
    """Say whether the runs A and B are the same, and what differed first.

    Compares identity, config, source, environment, data, streams, metrics and trail, and the leaves of checkpoints
    that both hold. Exit 0: same; 1: different, or nothing that could be compared (cannot_say).
    """
    from samerun.judge.diff import diff
    from samerun.record.find import find_run
    from samerun.record.project import runs_folder

    place = runs_folder(runs)
    verdict = diff(find_run(a, place), find_run(b, place))
    output.result(_document(verdict), "\n".join(_lines(output, verdict)))
    return int(ExitCode.DONE if verdict.is_same else ExitCode.DIFFERENT)


def _document(verdict: Verdict) -> dict[str, Any]:
    document = verdict.as_json()
    del document["schema"]
    return document


def _lines(output: Output, verdict: Verdict) -> list[str]:
    lines = [f"{output.paint(verdict.verdict, STYLES[verdict.verdict])}: {verdict.summary}"]
    if verdict.first_difference is not None:
        lines.append(f"first difference: {verdict.first_difference}")
    limit = None if output.verbosity else SHOWN
    for name, section in verdict.sections.items():
        lines += _section(name, section, limit)
    return lines + [f"note: {note}" for note in verdict.notes]


def _section(name: str, section: Any, limit: int | None) -> list[str]:
    if isinstance(section, list):
        rows = [_row(entry) for entry in section[:limit]]
        more = [f"  and {len(section) - len(rows)} more (-v shows them)"] if len(section) > len(rows) else []
        return [f"{name}: {len(section)} different", *rows, *more] if section else []
    if isinstance(section, Mapping) and section:
        facts = ", ".join(
            f"{key} {spell(value)}" for key, value in section.items() if not isinstance(value, dict | list)
        )
        return [f"{name}: {facts}"] if facts else []
    return []


def _row(entry: Any) -> str:
    if not isinstance(entry, Mapping):
        return f"  {entry}"
    sides = f"{spell(entry.get('a'))} | {spell(entry.get('b'))}"
    origins = [str(entry[key]) for key in ("a_origin", "b_origin") if entry.get(key)]
    where = f"  ({' | '.join(origins)})" if origins else ""
    return f"  {entry.get('path', '')}: {sides}{where}"
