"""Evaluation and other scopes: work beside the training that cannot touch it.

Inside a scope the global generators come from a stream of their own; afterwards they, and the train/eval mode of every
tracked module, are what they were, also on an exception. An evaluation that changed tracked state is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from samerun.config.schema import BestTable
from samerun.errors import RefusedError, UsageError
from samerun.record.metrics import column_name
from samerun.run.best import check_evaluation
from samerun.run.numbers import check_number
from samerun.run.operations import Operations
from samerun.run.tracked import Tracked
from samerun.streams import ambient
from samerun.streams.stream import Stream, StreamSource


class Evaluation:
    """What `run.evaluation(name)` yields: a log whose columns are `name/metric`, and named streams of its own."""

    def __init__(self, name: str, step: int, source: StreamSource) -> None:
        self.name = name
        self.step = step
        self.numbers: dict[str, Any] = {}
        self._source = source

    def log(self, values: Mapping[str, Any] | None = None, /, **named: Any) -> None:
        """Record numbers of this evaluation under `name/...`.

        Raises UsageError SR-RUN-002 for one that is recorded, SR-RUN-007 for what is no number, SR-RECORD-003 for a
        name that cannot be: `run/` is ours.
        """
        for metric, value in {**(values or {}), **named}.items():
            column = column_name(f"{self.name}/{metric}")
            if column in self.numbers:
                raise UsageError(
                    "SR-RUN-002",
                    f"'{column}' was logged twice in one evaluation",
                    evidence=(f"first: {self.numbers[column]!r}", f"second: {value!r}"),
                    do="log each name once; sum or average over batches first",
                )
            check_number(column, value, f"the evaluation '{self.name}' at step {self.step}")
            self.numbers[column] = value.detach() if hasattr(value, "detach") else value

    def stream(self, *parts: str | int, **named: str | int) -> Stream:
        """Open randomness named by this evaluation, its step and these words."""
        return self._source.user(*parts, prefix=("evaluation", self.name, self.step), **named)


class Scopes:
    """Opens scopes on a run: operations, generators, modes, and a check that nothing tracked was changed.

    `source` is one of its own: what a scope draws is no part of the ledger of the step it stands in. `best` names the
    column that an evaluation of its group has to give.
    """

    def __init__(
        self, source: StreamSource, tracked: Tracked, operations: Operations, best: BestTable | None = None
    ) -> None:
        self._source = source
        self._best = best
        self._tracked = tracked
        self._operations = operations

    @contextmanager
    def evaluation(self, name: str, step: int) -> Iterator[Evaluation]:
        """Open the evaluation `name` at `step` completed steps."""
        with self._beside("evaluation", "ambient/evaluation/{name}/{step}", name, step):
            evaluation = Evaluation(name, step, self._source)
            yield evaluation
        check_evaluation(self._best, name, evaluation.numbers)

    @contextmanager
    def scope(self, name: str, step: int) -> Iterator[None]:
        """Open a scope for a diagnostic or anything else that may draw."""
        with self._beside("scope", "ambient/scope/{name}/{step}", name, step):
            yield

    @contextmanager
    def _beside(self, operation: str, template: str, name: str, step: int) -> Iterator[None]:
        with self._operations.doing(f"{operation} '{name}'"):
            before = self._tracked.digests()
            modes = self._tracked.modes()
            stream = self._source.open(template, name=name, step=step)
            try:
                with ambient.scope(stream):
                    yield
            except Exception:
                # The loop may go on behind a failed evaluation, so what that changed is refused all the same.
                _refuse_changes(f"{operation} '{name}'", before, self._tracked.digests())
                raise
            finally:
                modes.put_back()
                self._source.begin_step()
            _refuse_changes(f"{operation} '{name}'", before, self._tracked.digests())


def _refuse_changes(what: str, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    changed = [name for name in before if before[name] != after.get(name)]
    if changed:
        raise RefusedError(
            "SR-RUN-008",
            f"{what} changed tracked state: {', '.join(changed)}",
            evidence=tuple(f"{name}: {before[name]} -> {after.get(name)}" for name in changed),
            do="call model.eval() inside (BatchNorm updates buffers in train mode), and train only in the loop's body",
        )
