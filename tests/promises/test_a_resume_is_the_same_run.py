"""Promise 2: stop at ANY step, resume in a new process, stop and resume again: equal to the uninterrupted run."""

from pathlib import Path

import pytest
from promise_lab import Lab
from promise_loops import epochs, plain, window
from promise_objects import OBJECTS

from samerun.testing import assert_resumes_exactly


def test_a_plain_loop_stopped_at_every_step_of_an_epoch_and_a_half(tmp_path: Path) -> None:
    assert_resumes_exactly(plain, [{"steps": 9}], folder=tmp_path)


def test_a_loop_by_epochs_with_accumulation_scaler_and_milestones_stopped_at_every_step(tmp_path: Path) -> None:
    assert_resumes_exactly(epochs, [{}], folder=tmp_path)


def test_gradients_that_span_steps_are_saved(tmp_path: Path) -> None:
    assert_resumes_exactly(window, [{}], folder=tmp_path)


@pytest.mark.parametrize("every", [1, 4])
def test_evaluations_that_sample_do_not_matter_for_a_resume(tmp_path: Path, every: int) -> None:
    assert_resumes_exactly(plain, [{"steps": 8, "evaluate_every": every}], splits=[1, 4, 5], folder=tmp_path)


def test_with_worker_processes(tmp_path: Path) -> None:
    assert_resumes_exactly(plain, [{"steps": 8, "workers": 2}], splits=[3, 5, 6], folder=tmp_path)


SAMPLE = ("averaged", "lbfgs", "sparse")


@pytest.mark.parametrize(
    "kind", [kind if kind in SAMPLE else pytest.param(kind, marks=pytest.mark.slow) for kind in OBJECTS]
)
def test_other_objects_that_users_track(here: Lab, tmp_path: Path, kind: str) -> None:
    whole = here.done("objects", tmp_path / "whole", kind=kind)
    for split in (2,) if kind in SAMPLE else range(5):
        runs = tmp_path / f"{split}"
        for stop_after in (split, split + 1):
            here.run("objects", runs, stop_after=stop_after, kind=kind)
        assert here.done("objects", runs, kind=kind) == whole, f"stopped after step {split}"
