"""One turn of the loop as the user sees it: its index, its streams and its log. Settling it is settle.py's work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from samerun.errors import UsageError
from samerun.record.metrics import column_name
from samerun.run.numbers import check_number
from samerun.streams import ambient
from samerun.streams.stream import Stream, StreamSource

AMBIENT_STEP = "ambient/step/{step}/micro/{micro}/rank/{rank}"


class Step:
    """A step under way. `index` is the number of completed steps before it, from 0."""

    __slots__ = (
        "_rank",
        "_source",
        "batches",
        "began",
        "index",
        "is_in_body",
        "is_rechecked",
        "is_settled",
        "is_update",
        "logged",
        "micro",
    )

    def __init__(self, index: int, source: StreamSource, rank: int = 0) -> None:
        self.index = index
        self.began = 0.0
        """When it began, on the monotonic clock."""
        self.micro = 0
        """Which micro-batch of the accumulation window the body is in, from 0."""
        self.is_update = True
        """Whether the optimizer steps at the end of this micro-batch (always, without accumulation)."""
        self.is_in_body = False
        """Whether the loop's body has the step now."""
        self.is_rechecked = False
        """Whether the step was made twice and gave the same both times; a trainer says so."""
        self.is_settled = False
        """Whether its rows are written: what is logged from now on would be lost."""
        self.logged: dict[str, Any] = {}
        self.batches: list[str] = []
        self._source = source
        self._rank = rank

    def log(self, values: Mapping[str, Any] | None = None, /, **named: Any) -> None:
        """Record numbers of this step; a name without a slash is put in the group `train/`.

        A tensor with one element is read when the step is settled, so that logging does not wait for a device here.
        Raises UsageError SR-RUN-002 for a name logged twice in one step, SR-RUN-007 for what is no number.
        """
        for name, value in {**(values or {}), **named}.items():
            self.log_as(column_name(name), value)

    def log_as(self, column: str, value: Any) -> None:
        """Record one number under a full column name (`group/name`)."""
        if self.is_settled:
            raise UsageError(
                "SR-RUN-021",
                f"'{column}' was logged in step {self.index}, which is settled",
                evidence=(f"value: {value!r}"[:200], "its row in the metrics is written"),
                do="log inside the loop's body, before the next step is asked for",
            )
        if column in self.logged:
            raise UsageError(
                "SR-RUN-002",
                f"'{column}' was logged twice in step {self.index}",
                evidence=(f"first: {self.logged[column]!r}", f"second: {value!r}"),
                do="log each name once a step; sum or average over micro-batches first",
            )
        check_number(column, value, f"step {self.index}")
        self.logged[column] = value.detach() if hasattr(value, "detach") else value

    def stream(self, *parts: str | int, **named: str | int) -> Stream:
        """Open randomness named by this step and these words; each name opens once a step (SR-STREAM-002)."""
        return self._source.user(*parts, prefix=("step", self.index), **named)

    def micros(self, count: int) -> Iterator[int]:
        """Iterate over the micro-batches of this step, giving each its own ambient randomness."""
        for micro in range(count):
            self.enter_micro(micro, is_update=micro == count - 1)
            yield micro

    def enter_micro(self, micro: int, *, is_update: bool) -> None:
        """Move to a micro-batch: the global generators are set for (step, micro)."""
        self.micro, self.is_update = micro, is_update
        self.reset_ambient()

    def reset_ambient(self) -> None:
        """Set the global generators as they were at the beginning of this (step, micro-batch)."""
        stream = self._source.open(AMBIENT_STEP, step=self.index, micro=self.micro, rank=self._rank)
        ambient.set_globals(stream)
