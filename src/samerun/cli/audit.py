"""`samerun audit`: what in Python sources breaks a run, read without running any of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from samerun.base.text import plural
from samerun.cli.options import verb
from samerun.cli.output import Output
from samerun.errors import ExitCode

if TYPE_CHECKING:
    from samerun.audit.finding import Audit, Finding

STYLES = {"error": "red", "warning": "yellow"}


@verb("audit")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
def command(output: Output, paths: tuple[Path, ...], runs: Path | None) -> int:
    """Say what in Python sources and notebooks makes two runs differ: code, line and what to do.

    Files are read, never run. Hidden folders, environments, builds and installed packages are left out and named. A
    comment `# samerun: allow[SR121] reason` on the line, or on the one before, silences a finding. Exit 0: nothing
    found; 1: findings.
    """
    from samerun.audit.scan import audit

    answer = audit(*paths)
    output.result(answer.as_json(), "\n".join(_lines(output, answer)))
    return int(ExitCode.DONE if answer.is_clean else ExitCode.DIFFERENT)


def _lines(output: Output, answer: Audit) -> list[str]:
    lines = []
    for finding in answer.findings:
        lines.append(_line(output, finding))
        if not output.is_quiet:
            lines.append(f"    do: {finding.do}")
    if output.is_quiet:
        return lines
    lines += [f"allowed: {one.finding.place}: {one.finding.code}: {one.reason}" for one in answer.silenced]
    lines += [f"left out: {one.path}: {one.reason}" for one in answer.skipped]
    counts = ", ".join(f"{code} {count}" for code, count in answer.counts().items())
    summary = f"{plural(len(answer.findings), 'finding')} in {plural(answer.files, 'file')}"
    return [*lines, f"{summary}: {counts}" if counts else summary]


def _line(output: Output, finding: Finding) -> str:
    grade = output.paint(finding.grade, STYLES[finding.grade])
    place = finding.place.replace("\n", "\\n")  # a file may be called anything; a finding is one line
    return f"{place}: {finding.code} {grade}: {finding.what}"
