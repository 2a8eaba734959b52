"""Holds an answer of `diff` or `diff --deep` against what was written down beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from expected import ANY, Fault, Op

from samerun.judge.difference import Verdict

PROJECT = Path(__file__).parent / "project"
MARK = "# line: "


@dataclass(frozen=True)
class Judged:
    """What was right of one answer. `operation` is None where none was asked for or `diff` alone was asked."""

    step: bool
    component: bool
    kind: bool
    operation: bool | None
    said: str
    missed: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        return not self.missed


def judge(fault: Fault, verdict: Verdict, *, is_deep: bool) -> Judged:
    """Compare an answer with the expectation of its fault."""
    first = verdict.first_difference
    if first is None:
        return Judged(False, False, False, False if is_deep else None, verdict.verdict, ("no difference was told",))
    missed = []
    step = first.step == fault.step
    component = fits(fault.component, str(first.component)) and (fault.leaf == ANY or first.leaf == fault.leaf)
    kind = fits(fault.kind, first.kind)
    if not step:
        missed.append(f"step {first.step}, not {fault.step}")
    if not component:
        leaf = "" if fault.leaf == ANY else f".{fault.leaf}"
        missed.append(f"component {first.component}.{first.leaf}, not {fault.component}{leaf}")
    if not kind:
        missed.append(f"kind {first.kind}, not {fault.kind}")
    operation = None
    if is_deep:
        wrong = list(_wrong_operation(fault.op, first.op, verdict))
        operation = not wrong
        missed += wrong
    return Judged(step, component, kind, operation, _said(verdict), tuple(missed))


def _wrong_operation(wanted: Op | None, found: object, verdict: Verdict) -> list[str]:
    if wanted is None:
        return [] if found is None else [f"an operation is named where none differs: {found}"]
    if not isinstance(found, dict):
        return [f"no operation is named: {' / '.join(verdict.notes)}"]
    wrong = [
        f"{field} {found[field]}, not {getattr(wanted, field)}"
        for field in ("why", "name", "phase")
        if not fits(getattr(wanted, field), found[field])
    ]
    if wanted.module != ANY and not _begins(wanted.module, found["module"]):
        wrong.append(f"module {found['module']}, not {wanted.module}")
    if wanted.line != ANY and not _is_at(wanted.line, found["source"]):
        wrong.append(f"source {found['source']}, not at {wanted.line!r}")
    return wrong


def fits(accepted: str, value: str) -> bool:
    """Say whether a value is among those accepted."""
    return accepted == ANY or value in accepted.split("|")


def _begins(wanted: str, module: str | None) -> bool:
    return module is None if wanted == "-" else (module or "").startswith(wanted)


def _is_at(marks: str, source: str | None) -> bool:
    if source is None:
        return False
    return any(source in lines().get(mark, ()) or source.rpartition(":")[0] == mark for mark in marks.split("|"))


@cache
def lines() -> dict[str, list[str]]:
    """Give `file:line` of every mark in the project's files."""
    found: dict[str, list[str]] = {}
    for path in sorted(PROJECT.glob("*.py")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if MARK in line:
                found.setdefault(line.partition(MARK)[2].strip(), []).append(f"{path.name}:{number}")
    return found


def _said(verdict: Verdict) -> str:
    first = verdict.first_difference
    assert first is not None
    what = ".".join(part for part in (first.component, first.leaf) if part)
    op = "" if first.op is None else f"; {first.op['name']} in {first.op['module']} at {first.op['source']}"
    return f"step {first.step}, {what}{op}"
