"""Evaluations and other scopes cannot touch the training."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from samerun.errors import RefusedError, UsageError
from samerun.record.reader import RunRecord
from samerun.run.run import Run

Start = Callable[..., Run]


def draws() -> tuple[float, float, float]:
    return random.random(), float(np.random.rand()), torch.rand(1).item()


def loop(start: Start, name: str, beside: Callable[[Run, Any], None]) -> RunRecord:
    with start(name) as run:
        for step in run.steps(2):
            step.log(before=sum(draws()))
            beside(run, step)
            step.log(after=sum(draws()))
    return RunRecord.open(run.folder)


def numbers(record: RunRecord) -> list[Any]:
    return [(row["train/before"], row["train/after"]) for row in record.metrics()]


def test_whatever_a_scope_draws_the_step_goes_on_as_without_it(start: Start) -> None:
    def failing(run: Run, step: Any) -> None:
        with pytest.raises(ArithmeticError), run.evaluation("val"):
            draws()
            raise ArithmeticError

    def evaluating(run: Run, step: Any) -> None:
        with run.evaluation("val") as evaluation:
            evaluation.log(x=sum(draws()) + float(evaluation.stream("sample").uniform()))

    def plotting(run: Run, step: Any) -> None:
        with run.scope("plot"):
            draws()

    plain = loop(start, "plain", lambda run, step: None)
    for name, beside in (("failing", failing), ("evaluating", evaluating), ("plotting", plotting)):
        record = loop(start, name, beside)
        assert numbers(record) == numbers(plain), name
        assert [row["streams"] for row in record.trail()] == [row["streams"] for row in plain.trail()], name


def test_randomness_of_a_scope_is_named_by_scope_and_step(start: Start) -> None:
    seen: dict[str, list[Any]] = {"one": [], "two": []}
    for name, found in seen.items():
        with start(name) as run:
            for _ in run.steps(2):
                for scope in ("a", "b"):
                    with run.evaluation(scope) as evaluation:
                        found.append((draws(), float(evaluation.stream("x").uniform())))
    assert seen["one"] == seen["two"] and len(set(seen["one"])) == 4


def test_numbers_become_columns_of_the_step_under_way(start: Start) -> None:
    def evaluating(run: Run, step: Any) -> None:
        with run.evaluation("val") as evaluation:
            evaluation.log(accuracy=torch.tensor(0.5), n=step.index)

    rows = list(loop(start, "columns", evaluating).metrics())
    assert [(row["val/accuracy"], row["val/n"]) for row in rows] == [(0.5, 0), (0.5, 1)]


def test_the_same_evaluation_twice_in_a_step_is_refused_rather_than_overwritten(start: Start) -> None:
    with pytest.raises(UsageError, match="SR-RUN-002"), start() as run:
        for _ in run.steps(1):
            for _ in range(2):
                with run.evaluation("val") as evaluation:
                    evaluation.log(x=1)


@pytest.mark.parametrize("fails", [False, True])
def test_modes_are_put_back_also_on_an_exception(start: Start, fails: bool) -> None:
    with start() as run:
        model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())
        model[1].eval()
        run.track(model=model)
        for _ in run.steps(1):
            try:
                with run.evaluation("val"):
                    model.train(not model.training)
                    model[1].train()
                    if fails:
                        raise ArithmeticError
            except ArithmeticError:
                pass
            assert (model.training, model[0].training, model[1].training) == (True, True, False)


def test_a_batch_norm_left_in_train_mode_is_refused_by_name(start: Start) -> None:
    with pytest.raises(RefusedError) as caught, start() as run:
        model = torch.nn.BatchNorm1d(2)
        run.track(net=model, other=torch.nn.Linear(1, 1))
        for _ in run.steps(1):
            with run.evaluation("val"):
                model(torch.rand(4, 2))
    assert caught.value.code == "SR-RUN-008" and "net" in caught.value.what and "other" not in caught.value.what


def test_a_change_of_values_in_a_scope_is_refused(start: Start) -> None:
    with pytest.raises(RefusedError, match="SR-RUN-008"), start() as run:
        for _ in run.steps(1):
            with run.scope("plot"):
                run.values["plots"] = 1


def test_an_evaluation_from_another_thread_is_refused_while_training(start: Start) -> None:
    codes: list[str] = []

    def evaluate(run: Run) -> None:
        try:
            with run.evaluation("val"):
                codes.append("entered")
        except RefusedError as error:
            codes.append(error.code)

    with start() as run:
        for _ in run.steps(1):
            thread = threading.Thread(target=evaluate, args=(run,))
            thread.start()
            thread.join()
    assert codes == ["SR-RUN-001"]


def test_a_number_logged_twice_in_an_evaluation_is_refused(start: Start) -> None:
    with start() as run:
        for _ in run.steps(1):
            with run.evaluation("val") as evaluation:
                evaluation.log(x=1)
                with pytest.raises(UsageError, match="SR-RUN-002"):
                    evaluation.log(x=2)
    assert next(RunRecord.open(run.folder).metrics())["val/x"] == 1


def test_a_change_is_refused_also_when_the_evaluation_failed(start: Start) -> None:
    with pytest.raises(RefusedError) as caught, start() as run:
        for _ in run.steps(1):
            try:
                with run.evaluation("val"):
                    run.values["changed"] = True
                    raise ArithmeticError("a failing metric")
            except ArithmeticError:
                pytest.fail("the loop would go on with another state")
    assert caught.value.code == "SR-RUN-008" and isinstance(caught.value.__context__, ArithmeticError)


@pytest.mark.parametrize("name", ["run", "", "va\nl"])
def test_an_evaluation_cannot_take_the_columns_that_are_ours_nor_ones_without_a_name(start: Start, name: str) -> None:
    with start() as run:
        for _ in run.steps(1):
            with run.evaluation(name) as evaluation, pytest.raises(UsageError, match="SR-RECORD-003"):
                evaluation.log(state_digest=1.0)
    (row,) = RunRecord.open(run.folder).metrics()
    assert {column for column in row if not column.startswith("time/")} == {"step", "run/state_digest"}
