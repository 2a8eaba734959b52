"""`samerun diff`: two records side by side, from identity to the first step, component and leaf that differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samerun.base.text import plural, short_digests, shown
from samerun.cli.options import verb
from samerun.cli.output import Output, spell
from samerun.errors import ExitCode

if TYPE_CHECKING:
    from samerun.judge.difference import Verdict

SHOWN = 20
FILES = 5
CHANGED_FILES = "git.changed"
SILENT_AT_ZERO = ("states_not_compared", "leaves_different", "rows_different")


@verb("diff")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--deep", is_flag=True, help="Make the first differing step again and name the operation.")
@click.option("--trust", is_flag=True, help="With --deep: run the code of the runs' own snapshots.")
@click.option("--tries", type=click.IntRange(min=0), help="With --deep: how often a step is repeated.")
def command(output: Output, a: str, b: str, deep: bool, trust: bool, tries: int | None, runs: Path | None) -> int:
    """Say whether the runs A and B are the same, and what differed first.

    Compares identity, config, source, environment, data, streams, metrics and trail, and the leaves of checkpoints
    that both hold. --deep makes the first differing step again on both sides, each in a fresh process with its own
    code, and names the first operation whose inputs agree and whose output does not. A and B may be two files of
    `samerun trace`. Exit 0: same; 1: different, or nothing that could be compared (cannot_say).
    """
    verdict = _verdict(output, a, b, deep, trust, tries, runs)
    is_silent = output.is_quiet and verdict.is_same
    output.result(_document(verdict), "" if is_silent else "\n".join(_lines(output, verdict)))
    return int(ExitCode.DONE if verdict.is_same else ExitCode.DIFFERENT)


def _verdict(output: Output, a: str, b: str, deep: bool, trust: bool, tries: int | None, runs: Path | None) -> Verdict:
    if Path(a).is_file() and Path(b).is_file():
        from samerun.judge.traces import diff_traces

        return diff_traces(Path(a), Path(b))
    from samerun.judge.diff import diff
    from samerun.record.find import find_run
    from samerun.record.project import runs_folder

    place = runs_folder(runs)
    left, right = find_run(a, place), find_run(b, place)
    if not deep:
        return diff(left, right)
    from samerun.rerun.deep import TRIES, diff_deep

    return diff_deep(left, right, trust=trust, tries=TRIES if tries is None else tries, say=output.note)


def _document(verdict: Verdict) -> dict[str, Any]:
    document = verdict.as_json()
    del document["schema"]
    return document


def _lines(output: Output, verdict: Verdict) -> list[str]:
    lines = [f"{output.verdict(verdict.verdict)}: {verdict.summary}"]
    if verdict.cause is not None:
        lines.append(f"{verdict.cause}{_advice(verdict)}")
    if verdict.first_difference is not None:
        lines.append(f"first difference: {short_digests(str(verdict.first_difference))}")
        if verdict.first_difference.also:
            lines.append(f"in the same step also: {', '.join(verdict.first_difference.also)}")
        lines += _operation(verdict.first_difference.op)
    limit = None if output.verbosity else SHOWN
    for name, section in verdict.sections.items():
        lines += _section(name, section, limit)
    return lines + [f"note: {note}" for note in verdict.notes]


def _advice(verdict: Verdict) -> str:
    from samerun.judge.cause import UNEXPLAINED

    is_deep = "operations" in verdict.sections
    return " (try --deep)" if str(verdict.cause).startswith(UNEXPLAINED) and not is_deep else ""


def _operation(op: Mapping[str, Any] | None) -> list[str]:
    if op is None:
        return []
    place = "".join([f" in {op['module']}" if op["module"] else "", f" at {op['source']}" if op["source"] else ""])
    return [f"operation {op['index']}: {op['name']}, {op['phase']}{place}: {op['reason']}"]


def _section(name: str, section: Any, limit: int | None) -> list[str]:
    if isinstance(section, list):
        # Equal lines are one: which files were not committed, for one, is not told file by file.
        rows = list(dict.fromkeys(_row(entry) for entry in section))
        shown = rows[:limit]
        more = [f"  and {len(rows) - len(shown)} more (-v shows them)"] if len(rows) > len(shown) else []
        return [f"{name}: {len(rows)} different", *shown, *more] if rows else []
    if isinstance(section, Mapping) and section:
        more = _columns(section, limit) if name == "metrics" else []
        facts = ", ".join(f"{key} {spell(value)}" for key, value in section.items() if _is_worth_saying(key, value))
        return [f"{name}: {facts}", *more] if facts else []
    return []


def _columns(section: Mapping[str, Any], limit: int | None) -> list[str]:
    """Show each column whose values differ, then those that one side lacks: value drift apart from structural drift."""
    lines = [
        f"  {column}: other in {plural(drift['rows'], 'row')} from step {drift['first_step']} on, "
        f"by at most {_share(drift['largest_relative'])} of its value"
        for column, drift in section["columns"].items()
    ]
    lines += [
        f"  {column}: only in {side}, from step {step}"
        for side in ("a", "b")
        for column, step in section[f"only_in_{side}"].items()
    ]
    more = [f"  and {len(lines) - limit} more (-v shows them)"] if limit is not None and len(lines) > limit else []
    return [*lines[:limit], *more]


def _share(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.2g}"


def _is_worth_saying(key: str, value: Any) -> bool:
    return not isinstance(value, dict | list) and value is not None and (value != 0 or key not in SILENT_AT_ZERO)


def _row(entry: Any) -> str:
    if not isinstance(entry, Mapping):
        return f"  {entry}"
    if "stream" in entry:
        return f"  {entry['stream']}: {_more(entry['more_in_b'])}, first at step {entry['first_step']}"
    if entry.get("path") == CHANGED_FILES:
        return f"  {CHANGED_FILES}: other files were not committed"
    if "counts" in entry:
        return "\n".join(_source(entry))
    absent = {"added": "a", "removed": "b"}.get(str(entry.get("kind")))
    if entry.get("group") == "arguments":
        return f"  arguments: {' | '.join(' '.join(entry[side]) or '(none)' for side in ('a', 'b'))}"
    sides = " | ".join("(absent)" if side == absent else short_digests(spell(entry.get(side))) for side in ("a", "b"))
    origins = [str(entry[key]) for key in ("a_origin", "b_origin") if entry.get(key)]
    where = f"  ({' | '.join(origins)})" if origins else ""
    return f"  {entry.get('path', '')}: {_files(entry.get('files')) or sides}{where}"


def _source(entry: Mapping[str, Any]) -> list[str]:
    """Show a source file: where it changed, whether that counts, and the lines."""
    more = f" and {plural(entry['more'], 'more place')}" if entry["more"] else ""
    what = f"{entry['where']}{more}" if entry["where"] else str(entry["reason"])
    aside = "" if entry["counts"] else f" ({entry['why_not']}: it does not count)"
    lines = [f"  {entry['path']}: {what}{aside}"]
    lines += [f"    {_printable(line)}" for line in entry["lines"]]
    return lines + ([f"    and {plural(entry['left_out'], 'more line')}"] if entry["left_out"] else [])


def _printable(line: str) -> str:
    # Source of somebody else's run: what would steer the terminal is shown, not sent.
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in line.expandtabs(4))


def _files(files: Mapping[str, Any] | None) -> str:
    if files is None:
        return ""
    words = [word for word in ("changed", "added", "removed", "moved") if files[word]]
    parts = [f"{word} {', '.join(map(_file, files[word][:FILES]))}" for word in words]
    touched = sum(len(files[word]) for word in words)
    return f"{touched} of {plural(files['of'], 'file')}: {'; '.join(parts)}"


def _file(name: str | Sequence[str]) -> str:
    return shown(name if isinstance(name, str) else " -> ".join(name))


def _more(more_in_b: int) -> str:
    return f"{abs(more_in_b)} more drawn in {'b' if more_in_b > 0 else 'a'}" if more_in_b else "other draws"
