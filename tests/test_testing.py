"""The assertions that users write into their own suites, on loops that keep their word and loops that do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.errors import MissingError, UsageError
from samerun.testing import UNINTERRUPTED, _target, _Template, assert_resumes_exactly, assert_same_run


def train(forget: str = "", steps: int = 3, seed: int = 7) -> None:
    """A loop with momentum, dropout and a number of its own; what `forget` names is not tracked."""
    import torch

    import samerun

    with samerun.start("tiny", config={"width": 3}, seed=seed) as run:
        model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.5), torch.nn.Linear(3, 1))
        optim = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        tracked = {"model": model, "optim": optim}
        run.track(**{name: thing for name, thing in tracked.items() if name != forget})
        for step in run.steps(steps):
            loss = model(torch.rand(4, 3)).square().mean()
            optim.zero_grad()
            loss.backward()
            optim.step()
            run.values["seen"] = run.values.get("seen", 0) + 1
            step.log(loss=loss, seen=run.values["seen"])


def fail() -> None:
    raise ValueError("it cannot train")


def trained(places: list[Path], *arguments: Any) -> list[Path]:
    """Train in each place, in processes of their own, and return the run folders."""
    with _Template(_target(train, arguments), UNINTERRUPTED) as template:
        for place in places:
            template.run(place, None)
    return [next(place.iterdir()) for place in places]


def test_a_loop_that_tracks_everything_resumes_exactly(tmp_path: Path) -> None:
    assert_resumes_exactly(train, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_forgotten_optimizer_is_named_with_the_stop_that_shows_it(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"stopped after step 2 and resumed: .*first difference: step [23]: model"):
        assert_resumes_exactly(train, ["optim"], splits=[2], folder=tmp_path)
    assert list(tmp_path.rglob("manifest.json")) != []


def test_equal_runs_are_the_same_and_others_are_not(tmp_path: Path) -> None:
    a, b = trained([tmp_path / "a", tmp_path / "b"])
    assert_same_run(a, str(b))
    (other,) = trained([tmp_path / "c"], "", 3, 8)
    with pytest.raises(AssertionError, match="different; first difference: step 0"):
        assert_same_run(a, other)


def test_a_function_that_cannot_be_imported_is_refused() -> None:
    def inner() -> None: ...

    for make in (inner, lambda: None):
        with pytest.raises(UsageError, match="SR-TESTING-001"):
            assert_resumes_exactly(make)


def test_a_function_that_fails_by_itself_is_said_to(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="SR-TESTING-002") as failure:
        assert_resumes_exactly(fail, folder=tmp_path)
    assert "it cannot train" in " ".join(failure.value.evidence)
