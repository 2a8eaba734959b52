"""Answers of the judge: a Difference names one thing that is not the same on both sides, a Verdict is the whole answer.

Plain frozen values that print and turn into JSON. How they are found is in diff.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

Answer = Literal["same", "different", "cannot_say"]
Kind = Literal["batch", "draws", "ambient", "value", "structure"]
"""batch: other items. draws: another number of random draws. ambient: the global generators moved differently.
value: other bits. structure: something exists on one side only, or has another shape or type."""

ORDER: Final[Mapping[Kind, int]] = {"batch": 0, "draws": 1, "ambient": 2, "value": 3, "structure": 4}
"""Within a step a cause comes before what it causes; something that exists on one side only moves nothing."""

_GENERATORS: Final = ("Python", "NumPy", "torch", "CUDA")
"""The parts of a fingerprint of the global generators, in the order in which streams/ambient.py writes them."""

SCHEMA: Final = "samerun.diff/1"


@dataclass(frozen=True)
class Difference:
    """One difference; `a` and `b` are what each side holds, None where it holds nothing."""

    step: int
    """The step whose row shows it. The state before step 0 is shown as step 0."""
    kind: Kind
    component: str | None = None
    """`batch`, `streams`, `ambient`, `metrics`, or the name of a tracked object."""
    leaf: str | None = None
    """The tensor or number inside the component, or the metric's column."""
    a: Any = None
    b: Any = None
    stream: str | None = None
    """The stream that drew another number of times, where one did."""
    op: Mapping[str, Any] | None = None
    """The guilty operation, where the step was executed again."""
    seen_at: int | None = None
    """The checkpoint that showed the leaf, where no earlier one holds it on both sides."""
    parameter: str | None = None
    """The parameter that an optimizer's slot belongs to, where the checkpoint says it."""
    also: tuple[str, ...] = ()
    """What else differs in the same step, in cause order."""

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in `--json`."""
        return {
            "step": self.step,
            "component": self.component,
            "leaf": self.leaf,
            "kind": self.kind,
            "stream": self.stream,
            "op": dict(self.op) if self.op is not None else None,
            "a": self.a,
            "b": self.b,
            "seen_at": self.seen_at,
            "parameter": self.parameter,
            "also": list(self.also),
        }

    @property
    def place(self) -> str:
        """Component and leaf: `train/loss`, `model.fc.weight`, `optim.state/3/exp_avg of model.fc.weight`."""
        if self.component in ("loss", "metrics") and self.leaf:
            return self.leaf
        what = ".".join(part for part in (self.component, self.leaf) if part)
        return f"{what} of {self.parameter}" if self.parameter else what

    @property
    def drawn(self) -> str:
        """Say which stream drew how much more: `user/augment drew 1 more number in b`."""
        return f"{self.stream} drew {_count(self.a, self.b)}"

    def __str__(self) -> str:
        a, b = self._values()
        return f"step {self.step}: {self._subject()}{self._seen()} ({_spell(a)} | {_spell(b)})"

    @property
    def generators(self) -> str:
        """Name the global generators that moved differently: `NumPy's global generator`."""
        names = [_GENERATORS[at] for at in self._places()]
        if not names:
            return "a global generator"
        if len(names) == 1:
            return f"{names[0]}'s global generator"
        return f"the global generators of {', '.join(names[:-1])} and {names[-1]}"

    def _places(self) -> list[int]:
        """Say which parts of two fingerprints of the global generators differ; none where one is no fingerprint."""
        a, b = str(self.a).split("."), str(self.b).split(".")
        if len(a) != len(_GENERATORS) or len(b) != len(_GENERATORS):
            return []
        return [at for at in range(len(_GENERATORS)) if a[at] != b[at]]

    def _values(self) -> tuple[Any, Any]:
        places = self._places() if self.kind == "ambient" else []
        if not places:
            return self.a, self.b
        a, b = (".".join(str(side).split(".")[at] for at in places) for side in (self.a, self.b))
        return a, b

    def _subject(self) -> str:
        if self.kind == "batch":
            return "the batches hold other items"
        if self.kind == "draws":
            return f"stream {self.drawn}"
        if self.kind == "ambient":
            return f"{self.generators} moved differently: something drew outside its stream"
        what = self.place or "the record"
        return f"{what} is other bits" if self.kind == "value" else f"{what} is not there on both sides"

    def _seen(self) -> str:
        return f", seen in the checkpoint before step {self.seen_at}" if self.seen_at is not None else ""


def _count(a: Any, b: Any) -> str:
    if not isinstance(a, int) or not isinstance(b, int):
        return "on one side only"
    more = abs(a - b)
    return f"{more} more number{'s' if more != 1 else ''} in {'a' if a > b else 'b'}"


def _spell(value: Any) -> str:
    if value is None:
        return "nothing"
    text = str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


@dataclass(frozen=True)
class Verdict:
    """The answer to `diff`: what was compared, what differs, and the sentence a person reads first."""

    verdict: Answer
    summary: str
    sections: Mapping[str, Any]
    """identity, config, source, environment, data, streams, metrics, trail, checkpoints: JSON values."""
    first_difference: Difference | None = None
    steps_compared: int = 0
    notes: tuple[str, ...] = field(default=())
    """What was left out of the comparison and why, and where a side promised less than equal bits."""
    promise: Mapping[str, Any] = field(default_factory=dict)
    """`a` and `b`: tier, exceptions and grade of each side."""
    cause: str | None = None
    """Why they part, in one sentence, as far as the records tell; None where nothing differs or was compared."""

    @property
    def is_same(self) -> bool:
        """Whether everything compared was equal and there was something to compare."""
        return self.verdict == "same"

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in `samerun diff --json`."""
        first = self.first_difference
        return {
            "schema": SCHEMA,
            "verdict": self.verdict,
            "summary": self.summary,
            "cause": self.cause,
            "sections": dict(self.sections),
            "first_difference": first.as_json() if first is not None else None,
            "steps_compared": self.steps_compared,
            "notes": list(self.notes),
            "promise": dict(self.promise),
        }
