"""The answer of `reproduce` as plain values and as text: the verdict, and what could not be matched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from samerun.base.text import human_bytes, plural, short_digests
from samerun.judge.difference import Answer, Difference
from samerun.rerun.reproducing.unmatched import Unmatched

SCHEMA: Final = "samerun.reproduction"
SHOWN: Final = 12


@dataclass(frozen=True)
class Reproduction:
    """What came out. `folder` is null where nothing was made that could be kept."""

    run: str
    verdict: Answer
    summary: str
    folder: Path | None
    made: str | None
    """The new run, relative to `folder`."""
    used: Literal["present", "built"] | None
    """The environment that the new run was made in: the present one, or one built for it."""
    differences: tuple[Unmatched, ...]
    """Where the present environment is not the recorded one."""
    unmatched: tuple[Unmatched, ...]
    """What of the run could not be matched where it was made again."""
    steps_compared: int = 0
    first_difference: Difference | None = None
    repository: tuple[str, ...] = ()
    """Commands that give back the whole repository around the source, in a new folder; none if no commit is known."""

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        first = self.first_difference
        return {
            "verdict": self.verdict,
            "summary": self.summary,
            "run": self.run,
            "folder": None if self.folder is None else self.folder.as_posix(),
            "made": self.made,
            "environment": {"used": self.used, "differences": [one.as_json() for one in self.differences]},
            "unmatched": [one.as_json() for one in self.unmatched],
            "steps_compared": self.steps_compared,
            "first_difference": None if first is None else first.as_json(),
            "repository": list(self.repository),
        }

    def lines(self, *, is_long: bool = False) -> list[str]:
        """Give the answer as a person reads it, below the line with the verdict."""
        lines = []
        if self.first_difference is not None:
            lines.append(f"first difference: {short_digests(str(self.first_difference))}")
        if self.used is not None:
            lines.append(f"environment: {_ENVIRONMENTS[self.used]}")
        lines += listed("not matched", self.unmatched, is_long=is_long)
        if self.folder is not None:
            lines.append(f"in {self.folder.as_posix()}: the new run is {self.made}")
        return lines + _commands(self.repository)


_ENVIRONMENTS: Final[Mapping[str, str]] = {
    "present": "the present one",
    "built": "built from the recorded distributions",
}


@dataclass(frozen=True)
class ReproductionPlan:
    """What a dry run says would be done."""

    run: str
    folder: Path
    used: Literal["present", "built"]
    differences: tuple[Unmatched, ...]
    num_files: int
    source_bytes: int
    num_distributions: int
    """To install; 0 where the present environment is used."""
    steps: int
    data: str
    unmatched: tuple[Unmatched, ...]
    repository: tuple[str, ...] = ()
    """As in the answer."""

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        return {
            "run": self.run,
            "folder": self.folder.as_posix(),
            "environment": {"used": self.used, "differences": [one.as_json() for one in self.differences]},
            "source": {"num_files": self.num_files, "size_bytes": self.source_bytes},
            "num_distributions": self.num_distributions,
            "steps": self.steps,
            "data": self.data,
            "unmatched": [one.as_json() for one in self.unmatched],
            "repository": list(self.repository),
        }

    def lines(self, *, is_long: bool = False) -> list[str]:
        """Give it as a person reads it."""
        built = f"build one, with {plural(self.num_distributions, 'distribution')}"
        return [
            f"would reproduce {self.run} in {self.folder.as_posix()}:",
            f"  source: restore {plural(self.num_files, 'file')}, {human_bytes(self.source_bytes)}",
            f"  environment: {built if self.used == 'built' else 'use the present one'}",
            *(f"  {line}" for line in listed("it differs", self.differences, is_long=is_long)),
            f"  data: {self.data}",
            f"  train {plural(self.steps, 'step')} and compare",
            *(f"  {line}" for line in listed("could not be matched", self.unmatched, is_long=is_long)),
            *(f"  {line}" for line in _commands(self.repository)),
        ]


def _commands(repository: tuple[str, ...]) -> list[str]:
    if not repository:
        return []
    return ["the whole repository, in a new folder, with RUN=the run folder:", *(f"  {step}" for step in repository)]


def listed(what: str, found: tuple[Unmatched, ...], *, is_long: bool) -> list[str]:
    """List things below a head; the first few unless it may be long."""
    if not found:
        return []
    shown = found if is_long else found[:SHOWN]
    more = [f"  and {len(found) - len(shown)} more (-v shows them)"] if len(shown) < len(found) else []
    return [f"{what}: {len(found)}", *(f"  {one}" for one in shown), *more]
