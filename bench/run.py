"""`make bench`: every ratio of samerun against what a user would do instead, in one run on one machine.

    python bench/run.py [--only loop,streams] [--write docs/benchmarks.md]

Torch uses one thread on both sides. Each file beside this one holds one subject and answers with Figures."""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

import argparse
import importlib
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from measure import Figure

SUBJECTS = (
    "loop", "guard", "loader", "streams", "state", "checkpoint", "judge", "trace", "manifest", "startup", "source",
)


def line(figure: Figure) -> str:
    answer = "yes" if figure.is_met else "**no**"
    return (
        f"| {figure.name} | {figure.ours} | {figure.theirs} | {figure.ratio:.3g} | {figure.wanted} | {answer} |"
        f" {figure.note} |"
    )


def page(found: dict[str, list[Figure]]) -> str:
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    head = [
        "# Benchmarks",
        "",
        f"`make bench`, {date}: {platform.machine()}, {os.cpu_count()} cores, one thread, Python"
        f" {platform.python_version()}, torch {version('torch')}, NumPy {version('numpy')}.",
        "",
        "Both sides of a row ran in turns in the same process or as children of it; times are medians, and the ratio",
        "(ours / theirs) is the median of the ratios round by round. Times depend on the machine, ratios little.",
    ]
    for subject, figures in found.items():
        head += ["", f"## {subject.capitalize()}", ""]
        head += ["| what | ours | theirs | ratio | wanted | met | how |", "|---|---|---|---|---|---|---|"]
        head += [line(figure) for figure in figures]
    return "\n".join(head) + "\n"


def kept(written: Path) -> str:
    """Give the sections of the page that are no subject of this file: `make localise` writes one."""
    sections = written.read_text("utf-8").split("\n## ")[1:] if written.exists() else []
    others = [text for text in sections if text.partition("\n")[0].lower() not in SUBJECTS]
    return "".join(f"\n## {text.rstrip()}\n" for text in others)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(SUBJECTS), help="subjects, separated by commas")
    parser.add_argument("--write", type=Path, help="page to write")
    arguments = parser.parse_args()
    found = {}
    for subject in arguments.only.split(","):
        found[subject] = importlib.import_module(subject).figures()
        for figure in found[subject]:
            print(line(figure), flush=True)
    if arguments.write:
        arguments.write.write_text(page(found) + kept(arguments.write), "utf-8")
        print(f"written: {arguments.write}")


if __name__ == "__main__":
    main()
