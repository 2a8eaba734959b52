"""The answer of `verify` as plain values: what was wanted, what each check found, and the verdict over all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from samerun.judge.difference import Answer, Difference
from samerun.judge.untracked import Untracked

CheckName = Literal["files", "repeat", "resume"]


@dataclass(frozen=True)
class Check:
    """One proof and what it found."""

    name: CheckName
    verdict: Answer
    detail: str
    first_difference: Difference | None = None
    steps_compared: int = 0
    untracked: tuple[Untracked, ...] = ()
    """State that changes from step to step and that no checkpoint holds."""
    not_looked_into: tuple[str, ...] = ()
    """What could have held such state and was not looked into, or why nothing was."""

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        first = self.first_difference
        return {
            "name": self.name,
            "verdict": self.verdict,
            "detail": self.detail,
            "first_difference": None if first is None else first.as_json(),
            "steps_compared": self.steps_compared,
            "untracked": [found.as_json() for found in self.untracked],
            "not_looked_into": list(self.not_looked_into),
        }


@dataclass(frozen=True)
class Verification:
    """All proofs that were asked for; the verdict is the worst of theirs."""

    subject: str
    checks: tuple[Check, ...]

    @property
    def verdict(self) -> Answer:
        """`different` if any check found a difference, else `cannot_say` if any could not say, else `same`."""
        found = {check.verdict for check in self.checks}
        if "different" in found:
            return "different"
        return "same" if found == {"same"} else "cannot_say"

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        return {
            "subject": self.subject,
            "verdict": self.verdict,
            "checks": [check.as_json() for check in self.checks],
        }


@dataclass(frozen=True)
class Wanted:
    """Which proofs, and how far. Nothing named: `files` for a run, `repeat` and `resume` for a recipe."""

    files: bool = False
    repeat: bool = False
    resume: bool = False
    steps: int | None = None
    """Steps of each run; null is as many as the recipe or the run has."""
    splits: tuple[int, ...] = ()
    """Completed steps to stop after; empty chooses those that hurt."""

    def settled(self, is_run: bool) -> Wanted:
        """Return the wish with the defaults for a run or a recipe filled in."""
        if self.files or self.repeat or self.resume:
            return self
        return Wanted(is_run, not is_run, not is_run, self.steps, self.splits)
