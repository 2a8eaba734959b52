"""A step made again from a copy of its state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import torch

from samerun.errors import ExitCode, RefusedError
from samerun.run.step import Step
from samerun.run.tracked import Tracked
from samerun.state.digest import digest_tree
from samerun.state.restore import state_of
from samerun.streams.source import StreamSource
from samerun.trainers.recheck import NotDeterministic, learn_once_thrown_away, learn_twice

INPUTS = torch.linspace(-1.0, 1.0, 40).view(8, 5)


class Regression:
    """The smallest trainer that there is: dropout, momentum, and an operation of the test's choice."""

    def __init__(self, operation: Any = None) -> None:
        self.model = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(5, 5))
        self.optimizer = torch.optim.SGD(self.model.parameters(), 0.1, momentum=0.9)
        self.operation = operation

    def state(self) -> dict[str, object]:
        return {"model": self.model, "optimizer": self.optimizer}

    def collect(self, step: Any) -> torch.Tensor:
        return INPUTS

    def learn(self, step: Any, batch: torch.Tensor) -> Mapping[str, Any]:
        outputs = self.model(batch)
        if self.operation is not None:
            outputs = self.operation(outputs)
        loss = outputs.square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return {"train/loss": loss}

    def evaluate(self, split: str, limit: int | None = None) -> dict[str, float]:
        return {}


def digests_of(trainer: Regression) -> dict[str, str]:
    return Tracked.of(trainer.state()).digests()


def step_of(index: int) -> Step:
    source = StreamSource(5)
    step = Step(index, source)
    step.reset_ambient()
    return step


def test_a_trainer_that_keeps_a_generator_can_be_made_twice() -> None:
    class Drawing(Regression):
        def __init__(self) -> None:
            super().__init__()
            self.generator = torch.Generator().manual_seed(3)

        def state(self) -> dict[str, object]:
            return {**super().state(), "generator": self.generator}

        def learn(self, step: Step, batch: Any) -> Any:
            return super().learn(step, batch + torch.rand(batch.shape, generator=self.generator))

    once, twice = Drawing(), Drawing()
    twice.model.load_state_dict(once.model.state_dict())
    once.learn(step_of(0), INPUTS)
    learn_twice(twice, step_of(0), INPUTS)
    assert digests_of(once) == digests_of(twice)


def test_a_step_made_twice_is_the_step_made_once() -> None:
    once, twice = Regression(), Regression()
    twice.model.load_state_dict(once.model.state_dict())
    first = once.learn(step_of(3), INPUTS)
    second = learn_twice(twice, step_of(3), INPUTS)
    assert torch.equal(first["train/loss"], second["train/loss"])
    assert digest_tree(state_of(once.model)) == digest_tree(state_of(twice.model))


def test_two_results_are_an_answer_of_no_that_names_the_components() -> None:
    calls: list[int] = []

    def drifting(outputs: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return outputs * len(calls)

    with pytest.raises(NotDeterministic, match="SR-TRAINER-007") as caught:
        learn_twice(Regression(drifting), step_of(0), INPUTS)
    assert caught.value.exit_code == ExitCode.DIFFERENT
    assert [line.split(":")[0] for line in caught.value.evidence] == ["model", "optimizer"]


def test_a_step_thrown_away_leaves_no_trace() -> None:
    trainer, plain = Regression(), Regression()
    plain.model.load_state_dict(trainer.model.state_dict())
    before, step = digests_of(trainer), step_of(0)
    learn_once_thrown_away(trainer, step, INPUTS)
    assert digests_of(trainer) == before
    trainer.learn(step, INPUTS)
    plain.learn(step_of(0), INPUTS)
    assert digests_of(trainer) == digests_of(plain)


def test_every_operation_without_a_deterministic_kernel_is_named_at_once() -> None:
    def inexact(outputs: torch.Tensor) -> torch.Tensor:
        pooled = torch.nn.functional.max_unpool1d(outputs[None], torch.arange(5).expand(1, 8, 5), 1)
        return pooled + torch.zeros(8, 5).put_(torch.arange(8), outputs[:, 0].detach(), accumulate=False)

    with pytest.raises(RefusedError, match="SR-TRAINER-006") as caught:
        learn_once_thrown_away(Regression(inexact), step_of(0), INPUTS)
    assert len(caught.value.evidence) == 2 and "test_recheck.py" in caught.value.evidence[0]
    assert "exact_except=[" in caught.value.do
