"""A difference is named: something is done to one step of one run, and `diff` must say what, where and when."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import samerun
from samerun.judge.diff import diff
from samerun.run.run import Run
from samerun.run.step import Step

STEPS, GUILTY = 6, 3
Deed = Callable[[Run, Step, torch.nn.Module, object], None]


def train(name: str, deed: Deed | None, *, guilty: int = GUILTY, runs: Path | None = None, **options: object) -> Path:
    """Train a tiny loop; `deed` is done inside the body of one step."""
    runs = Path("runs") if runs is None else runs
    inputs = torch.arange(96.0).reshape(24, 4) / 96
    with samerun.start(name, seed=7, runs=runs, **options) as run:
        model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.5), torch.nn.Linear(4, 1))
        optim = torch.optim.SGD(model.parameters(), 0.1)
        batches = run.loader((inputs, inputs.sum(1, keepdim=True)), batch_size=4)
        run.track(model=model, optim=optim, batches=batches)
        for step in run.steps(STEPS):
            x, y = next(batches)
            loss = (model(x) - y).square().mean()
            optim.zero_grad()
            loss.backward()
            optim.step()
            step.log(loss=loss)
            if deed is not None and step.index == guilty:
                deed(run, step, model, batches)
    return run.folder


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run to which nothing was done."""
    return train("plain", None, runs=tmp_path_factory.mktemp("plain"))


def draw_globally(run: Run, step: Step, model: torch.nn.Module, batches: object) -> None:
    torch.rand(1)


def draw_from_a_stream(run: Run, step: Step, model: torch.nn.Module, batches: object) -> None:
    step.stream("extra").uniform(5)


def take_another_batch(run: Run, step: Step, model: torch.nn.Module, batches: object) -> None:
    next(batches)  # type: ignore[call-overload]


def change_one_weight(run: Run, step: Step, model: torch.nn.Module, batches: object) -> None:
    with torch.no_grad():
        model[2].bias += 1e-7  # type: ignore[index]


def log_one_more(run: Run, step: Step, model: torch.nn.Module, batches: object) -> None:
    step.log(extra=1.0)


def draw_in_a_scope(run: Run, step: Step, model: torch.nn.Module, batches: object) -> None:
    with run.scope("diagnostic"):
        torch.rand(100)


def test_two_runs_of_one_loop_are_the_same(plain: Path) -> None:
    verdict = diff(plain, train("two", None))
    assert verdict.is_same and verdict.steps_compared == STEPS


@pytest.mark.parametrize(
    ("deed", "kind", "stream"),
    [
        (draw_globally, "ambient", None),
        (draw_from_a_stream, "draws", "step/{step}/user/extra"),
        (take_another_batch, "batch", None),
        (log_one_more, "structure", None),
    ],
)
def test_what_was_done_in_a_step_is_named_with_the_step(plain: Path, deed: Deed, kind: str, stream: str | None) -> None:
    first = diff(plain, train("changed", deed)).first_difference
    assert first is not None
    assert (first.step, first.kind, first.stream) == (GUILTY, kind, stream)


def test_a_changed_weight_is_named_down_to_the_tensor(plain: Path) -> None:
    first = diff(plain, train("changed", change_one_weight, guilty=STEPS - 1)).first_difference
    assert first is not None
    assert (first.step, first.kind, first.component, first.leaf) == (STEPS - 1, "value", "model", "2.bias")


def test_what_is_drawn_in_a_scope_is_no_difference(plain: Path) -> None:
    assert diff(plain, train("changed", draw_in_a_scope)).is_same


def test_another_setting_is_named_with_both_values(plain: Path) -> None:
    verdict = diff(plain, train("wide", None, config={"width": 5}))
    assert verdict.verdict == "different"
    assert [(row["path"], row["a"], row["b"]) for row in verdict.sections["config"]] == [("width", "(absent)", 5)]
