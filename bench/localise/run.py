"""`make localise`: plant faults one by one, and see whether `diff` and `diff --deep` name them.

    python bench/localise/run.py [--only NAME,..] [--shallow] [--write docs/benchmarks.md]

What must be named stands in plain.py and supervised.py, written down beforehand. Nothing may be told of
the pairs in equal.py."""

from __future__ import annotations

import os
import sys

os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "cli"))

import argparse
import platform
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from equal import EQUAL
from expected import Equal, Fault
from judging import Judged, judge
from making import Maker
from plain import PLAIN
from supervised import SUPERVISED

from samerun.judge.diff import diff
from samerun.record.reader import RunRecord
from samerun.rerun import redo
from samerun.rerun.deep import diff_deep

FAULTS = (*PLAIN, *SUPERVISED)
HEADING = "## Localisation"
WORDS = (
    "",
    "`none, rightly`: no operation differs, only a draw outside of torch, a logged number, or the state before step 0.",
    "`--forked` makes steps again in forks of one warm process, unless kernels are chosen for them; without it each of",
    "them is a fresh interpreter. 24 expectations were mistaken when they were first written and were corrected one by",
    "one: another item is `batch` (the digest covers contents), a norm is the first to feel another number of threads.",
)
ABREAST = 2
"""Comparisons under way at once; each makes two child processes, one after the other."""


def judge_fault(fault: Fault, sides: tuple[RunRecord, RunRecord], is_deep: bool) -> Judged:
    verdict = diff_deep(*sides, trust=True) if is_deep else diff(*sides)
    judged = judge(fault, verdict, is_deep=is_deep)
    mark = "ok  " if judged.is_right else "MISS"
    print(f"{mark} {fault.name}: {judged.said}", *judged.missed, sep="\n     ", flush=True)
    return judged


def judge_equal(pair: Equal, sides: tuple[RunRecord, RunRecord]) -> bool:
    verdict = diff(*sides)
    is_quiet = verdict.is_same and verdict.first_difference is None
    print(f"{'ok  ' if is_quiet else 'MISS'} equal, {pair.name}: {verdict.summary}", flush=True)
    return is_quiet


def rows(faults: dict[Fault, Judged]) -> Iterator[str]:
    """Spell the table; neighbours that plant one thing at several steps or layers share a row."""
    for cells, group in groupby(faults, key=lambda fault: (fault.place, fault.what, *marks(fault, faults[fault]))):
        together = list(group)
        said = dict.fromkeys("; ".join(faults[one].missed) or faults[one].said for one in together)
        words = " / ".join(said).replace("|", "or").replace("\n", " ")
        yield f"| {', '.join(one.name for one in together)} | {' | '.join(cells)} | {words} |"


def marks(fault: Fault, judged: Judged) -> list[str]:
    found = ["yes" if right else "**no**" for right in (judged.step, judged.component)]
    if judged.operation is None:
        return [*found, "-"]
    named = "yes" if fault.op is not None else "none, rightly"
    return [*found, named if judged.operation else "**no**"]


def section(faults: dict[Fault, Judged], equal: dict[Equal, bool], seconds: float, command: str) -> str:
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    answers = list(faults.values())
    asked = [judged for fault, judged in faults.items() if fault.op is not None]
    none = [judged for fault, judged in faults.items() if fault.op is None]
    pairs = [pair.name + ("" if is_quiet else " (**false alarm**)") for pair, is_quiet in equal.items()]
    lines = [
        HEADING,
        "",
        f"`{command}`, {date}: {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()},"
        f" torch {version('torch')}; {seconds / 60:.0f} minutes.",
        "",
        f"{len(faults)} faults, each planted in one of two runs. What `diff --deep` must name is written down"
        " beforehand (`bench/localise/`).",
        f"Right: {_share(one.step for one in answers)} steps, {_share(one.component for one in answers)} components,"
        f" {_share(one.operation for one in asked)} operations.",
        f"Where no operation differs, none was named in {_share(one.operation for one in none)}."
        f" False alarms: {len(equal) - sum(equal.values())} on {len(equal)} equal pairs.",
        *WORDS,
        "",
        "| fault | planted in | what | step | component | operation | named, or what was missed |",
        "|---|---|---|---|---|---|---|",
        *rows(faults),
        "",
        f"Equal pairs: {'; '.join(pairs)}.",
        "",
    ]
    return "\n".join(lines)


def _share(marks: Iterable[bool | None]) -> str:
    found = [bool(mark) for mark in marks]
    return f"{sum(found)} of {len(found)}"


def write(page: Path, text: str) -> None:
    """Put the section in place of the old one, or at the end; nothing else of the page is touched."""
    head, found, rest = page.read_text("utf-8").partition(f"{HEADING}\n")
    following = rest.find("\n## ") if found else -1
    tail = rest[following + 1 :] if following >= 0 else ""
    page.write_text(f"{head.rstrip()}\n\n{text}" + (f"\n{tail}" if tail else ""), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="beginnings of names, separated by commas")
    parser.add_argument("--shallow", action="store_true", help="diff alone, without making steps again")
    parser.add_argument("--forked", action="store_true", help="a quick look: steps are made again in forked processes")
    parser.add_argument("--write", type=Path, help="page whose section is replaced")
    arguments = parser.parse_args()
    page = arguments.write.absolute() if arguments.write else None
    wanted = tuple(name.strip() for name in arguments.only.split(","))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="localise-") as place, ThreadPoolExecutor(ABREAST) as pool:
        maker = Maker(Path(place))
        os.chdir(maker.project)
        if arguments.forked:
            redo.run_samerun = maker.run_forked
        faults = {
            fault: pool.submit(judge_fault, fault, maker.fault(fault), not arguments.shallow)
            for fault in FAULTS
            if fault.name.startswith(wanted)
        }
        equal = {pair: judge_equal(pair, maker.equal(pair)) for pair in EQUAL if pair.name.startswith(wanted)}
        judged = {fault: future.result() for fault, future in faults.items()}
        maker.close()
        os.chdir("/")
    command = "bench/localise/run.py --forked" if arguments.forked else "make localise"
    text = section(judged, equal, time.monotonic() - began, command)
    print("", text, sep="\n")
    if page is not None:
        write(page, text)


if __name__ == "__main__":
    main()
