"""The answer of `verify` as plain values: what was wanted, what each check found, and the verdict over all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from samerun.judge.difference import Answer, Difference
from samerun.judge.untracked import Untracked
from samerun.rerun.compared import Compared

CheckName = Literal["files", "repeat", "resume", "neutral", "portable", "here"]
CHECKS: Final[tuple[CheckName, ...]] = ("files", "repeat", "resume", "neutral", "portable", "here")
OF_A_RUN: Final[tuple[CheckName, ...]] = ("files", "repeat", "resume", "neutral", "here")
"""What `--all` is of a run; of a recipe, what needs no record."""
OF_A_RECIPE: Final[tuple[CheckName, ...]] = ("repeat", "resume", "neutral")
NEEDS_RECORD: Final = frozenset({"files", "here"})
TRAINS_NOTHING: Final = frozenset({"files", "portable"})


@dataclass(frozen=True)
class Case:
    """One thing that a check tried: a split, a flipped setting, a file. Without a verdict it was not tried, and why."""

    what: str
    verdict: Answer | None = None
    detail: str = ""
    steps_compared: int = 0

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        return {
            "what": self.what,
            "verdict": self.verdict,
            "detail": self.detail,
            "steps_compared": self.steps_compared,
        }


@dataclass(frozen=True)
class Check:
    """One proof and what it found."""

    name: CheckName
    verdict: Answer
    detail: str
    first_difference: Difference | None = None
    steps_compared: int = 0
    rests_on: str = ""
    """What was compared with what, and behind `: ` in what the processes differed."""
    components: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    cases: tuple[Case, ...] = ()
    untracked: tuple[Untracked, ...] = ()
    """State that changes from step to step and that no checkpoint holds."""
    not_looked_into: tuple[str, ...] = ()
    """What could have held such state and was not looked into, or why nothing was."""
    brief: str = ""
    """What `detail` says, in a few words, for a person who reads many; empty where it is short itself. Not in JSON."""

    @classmethod
    def of(cls, name: CheckName, found: Compared, what: str, rests_on: str) -> Check:
        """Make the check of one comparison."""
        detail = f"{what}: {found.summary}"
        check = cls(name, found.verdict, detail, found.first_difference, found.steps, rests_on, found.components)
        return replace(check, brief=what if found.is_same else detail)

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        first = self.first_difference
        return {
            "name": self.name,
            "verdict": self.verdict,
            "detail": self.detail,
            "first_difference": None if first is None else first.as_json(),
            "steps_compared": self.steps_compared,
            "rests_on": self.rests_on,
            "components": {name: dict(found) for name, found in self.components.items()},
            "cases": [case.as_json() for case in self.cases],
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

    @property
    def steps(self) -> int:
        """Steps over which any of the checks compared."""
        return max((check.steps_compared for check in self.checks), default=0)

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

    checks: tuple[CheckName, ...] = ()
    steps: int | None = None
    """Steps of each run; null is as many as the recipe or the run has."""
    splits: tuple[int, ...] = ()
    """Completed steps to stop after; empty chooses those that hurt."""

    def settled(self, is_run: bool, *, everything: bool = False) -> Wanted:
        """Return the wish with the defaults for a run or a recipe filled in, or with all that applies.

        Splits are stops of `resume`: naming them asks for it.
        """
        named: tuple[CheckName, ...] = ()
        if everything:
            named = OF_A_RUN if is_run else OF_A_RECIPE
        elif not self.checks:
            named = ("files",) if is_run else ("repeat", "resume")
        wanted = {*self.checks, *named, *(("resume",) if self.splits else ())}
        return replace(self, checks=tuple(name for name in CHECKS if name in wanted))
