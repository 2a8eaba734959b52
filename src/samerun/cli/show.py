"""`samerun show`: one run in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samerun.base.text import human_bytes, plural
from samerun.cli.options import verb
from samerun.cli.output import Output, pairs, spell
from samerun.record.layout import NO_INPUTS

if TYPE_CHECKING:
    from samerun.record.show import ShownCheckpoint, ShownRun

STYLES = {"completed": "green", "running": "blue", "stopped": "yellow"}


@verb("show")
@click.argument("run", metavar="RUN")
def command(output: Output, run: str, runs: Path | None) -> None:
    """Show one run: status, identity, newest metrics, checkpoints, and what it holds on disk.

    RUN is a folder, a name, the beginning of its folder's name or of its identity, @last or @last~1.
    """
    from samerun.record.show import show

    shown = show(run, runs)
    output.result({name: getattr(shown, name) for name in shown.__dataclass_fields__}, _text(output, shown))


def _text(output: Output, shown: ShownRun) -> str:
    head = f"{output.paint(shown.run.name, 'bold')}  {output.paint(shown.status, STYLES.get(shown.status, 'red'))}"
    lines = [head, *pairs(_facts(shown), indent="  ")]
    lines += ["newest metrics", *pairs(shown.metrics.items(), indent="  ")] if shown.metrics else []
    lines += _guarded(shown)
    lines += ["checkpoints", *(f"  {_checkpoint(one)}" for one in shown.checkpoints)] if shown.checkpoints else []
    return "\n".join(lines)


def _guarded(shown: ShownRun) -> list[str]:
    if shown.guarded is None or not shown.guarded.found:
        return []
    return ["found by the guard", *(f"  {_found(row)}" for row in shown.guarded.found)]


def _found(row: Mapping[str, Any]) -> str:
    where = row["place"] if row["file"] is None else f"{row['file']}:{row['line']} in {row['function']}"
    through = f", called from {row['through']}" if row["through"] else ""
    first = f", first at step {row['step']}" if "step" in row else ""
    return f"{row['code']}  {where}{through}: {row['what']}, {row['place']}, {plural(row['count'], 'time')}{first}"


def _facts(shown: ShownRun) -> Iterator[tuple[str, object]]:
    yield "folder", shown.run.as_posix()
    yield "identity", shown.identity
    yield "step", f"{shown.step} of {shown.steps}" if shown.steps is not None else shown.step
    if shown.rows_beyond:
        yield "beyond", f"{plural(shown.rows_beyond, 'row')} beyond the newest checkpoint will be made again"
    if shown.not_a_number is not None:
        yield "NaN", f"{', '.join(shown.not_a_number['columns'])}, first in step {shown.not_a_number['step']}"
    yield "seed", shown.seed
    yield "tier", shown.tier + (f", except {', '.join(shown.exact_except)}" if shown.exact_except else "")
    yield "made by", " ".join([shown.entry.kind, shown.entry.path or "", *shown.entry.argv]).strip()
    if shown.source is not None:
        yield "source", str(shown.source)
    yield "created", shown.created
    yield "updated", shown.updated
    yield from _history(shown)
    yield "state", shown.state_digest or "not computed"
    if shown.inputs or shown.lacks_inputs:
        yield "inputs", ", ".join(shown.inputs) or NO_INPUTS
    if shown.evaluations:
        yield "evaluations", ", ".join(shown.evaluations)
    yield "on disk", _disk(shown)


def _history(shown: ShownRun) -> Iterator[tuple[str, object]]:
    if shown.grade != "full":
        yield "grade", shown.grade
    if shown.is_from_bundle:
        yield "came from", "a bundle; code of its own runs with --trust only"
    if shown.parent is not None:
        yield "fork of", f"{shown.parent.run} at step {shown.parent.step}"
    if shown.attempt > 1:
        yield "processes", shown.attempt
    for segment in shown.segments[1:]:
        yield f"segment {segment.number}", f"from step {segment.from_step}, drift in {', '.join(segment.drift)}"
    if shown.checked.times:
        yield "checked", f"{plural(shown.checked.times, 'time')} while it ran, {shown.checked.equal} equal"
    if shown.excepted:
        yield "excepted", ", ".join(f"{name} ran {plural(count, 'time')}" for name, count in shown.excepted.items())
    if shown.guarded is not None:
        yield "guard", f"{shown.guarded.mode}, {plural(len(shown.guarded.found), 'call site')} found"
    if shown.reason:
        yield "reason", shown.reason
    if shown.source is not None and shown.source.changed_meanwhile:
        yield "edited since", ", ".join(shown.source.changed_meanwhile)
    if shown.late_imports:
        yield "imported late", ", ".join(shown.late_imports)
    if shown.verification is not None:
        yield "proved", _proof(shown.verification)
    if shown.marks.tags:
        yield "tags", ", ".join(shown.marks.tags)
    for note in shown.marks.notes:
        yield "note", note
    if shown.best:
        yield "best", spell(dict(shown.best))


def _proof(last: Mapping[str, Any]) -> str:
    """Spell the last answer of `verify`: `on 2026-11-30, 30 steps, these checks: files, repeat`."""
    date, checks = str(last["date"] or "an unknown date")[:10], last["checks"]
    over = f", {plural(last['steps'], 'step')}" if last["steps"] else ""
    since = f"; {last['since']}" if last["since"] else ""
    if last["verdict"] == "same":
        return f"on {date}{over}, these checks: {', '.join(checks)}{since}"
    found = ", ".join(f"{name} {verdict}" for name, verdict in checks.items())
    return f"not proved on {date}{over}: {found}{since}"


def _checkpoint(one: ShownCheckpoint) -> str:
    marks = [word for word, is_set in (("pinned", one.is_pinned), ("best", one.is_best)) if is_set]
    return f"{one.path}  {human_bytes(one.size_bytes)}" + (f"  {', '.join(marks)}" if marks else "")


def _disk(shown: ShownRun) -> str:
    disk = shown.disk
    words = [f"{human_bytes(disk.checkpoints_bytes)} checkpoints", f"{human_bytes(disk.logs_bytes)} logs"]
    if disk.attempts_bytes:
        words.append(f"{human_bytes(disk.attempts_bytes)} taken out by rewinds")
    return f"{human_bytes(disk.total_bytes)} ({', '.join(words)})"
