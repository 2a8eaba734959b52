"""`make proof`: run the slow suites whole, then everything, and write what came out to docs/proof.md.

The page states only what these two runs of pytest printed, with the command, the date and the versions.
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs/proof.md"
SUITES = {"the slow suites": ["-m", "slow"], "everything else": ["-m", "not slow", "-n", "2", "--dist", "worksteal"]}
PACKAGES = ("torch", "numpy", "safetensors", "pydantic", "xxhash")


@dataclass(frozen=True)
class Outcome:
    """One run of pytest: its closing line, and how many tests of each file passed."""

    title: str
    command: str
    code: int
    closing: str
    files: dict[str, int]


def run_suite(title: str, arguments: list[str]) -> Outcome:
    command = ["pytest", *arguments, "-vv", "--timeout", "7200", "-p", "no:cacheprovider"]
    lines: list[str] = []
    process = subprocess.Popen(
        [sys.executable, "-m", *command], cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        sys.stdout.write(line)
        lines.append(line.rstrip())
    code = process.wait()
    files: dict[str, int] = {}
    for line in lines:
        found = re.search(r"(tests/\S+?\.py)::", line)
        if found and " PASSED" in line:
            files[found[1]] = files.get(found[1], 0) + 1
    closing = next((line.strip("= ") for line in reversed(lines) if re.search(r"\d+ (passed|failed|error)", line)), "")
    return Outcome(title, " ".join(command), code, closing, files)


def page(outcomes: list[Outcome], commit: str, date: str) -> str:
    lines = [
        "# Proof",
        "",
        "`make proof` runs the slow suites whole and then every other test, and writes this page. What each promise",
        "means stands in [the README](../README.md); the tests are in `tests/promises/`.",
        "",
        f"- date: {date}",
        f"- commit: {commit}",
        f"- machine: {platform.system()} {platform.machine()}, Python {platform.python_version()}",
        f"- packages: {', '.join(f'{name} {version(name)}' for name in PACKAGES)}",
    ]
    for outcome in outcomes:
        verdict = "passed" if outcome.code == 0 else f"FAILED (exit {outcome.code})"
        lines += ["", f"## {outcome.title.capitalize()}: {verdict}", "", f"`{outcome.command}`: {outcome.closing}", ""]
        lines += ["| file | passed |", "|---|---|"]
        lines += [f"| `{path}` | {count} |" for path, count in sorted(folders(outcome.files).items())]
    return "\n".join(lines) + "\n"


def folders(files: dict[str, int]) -> dict[str, int]:
    """Promises file by file; the rest by folder, so that the page stays short."""
    counts: dict[str, int] = {}
    for path, count in files.items():
        key = path if path.startswith("tests/promises/") else f"{path.rpartition('/')[0]}/"
        counts[key] = counts.get(key, 0) + count
    return counts


def main() -> None:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True)
    began = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    outcomes = [run_suite(title, arguments) for title, arguments in SUITES.items()]
    PAGE.write_text(page(outcomes, commit.stdout.strip() or "unknown", began), "utf-8")
    print(f"written: {PAGE.relative_to(REPOSITORY)}")
    sys.exit(max(outcome.code for outcome in outcomes))


if __name__ == "__main__":
    main()
