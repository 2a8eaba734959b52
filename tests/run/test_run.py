"""What a loop talks to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from samerun.errors import UsageError
from samerun.record.reader import RunRecord
from samerun.run.run import Run

Start = Callable[..., Run]


def test_a_run_knows_its_folder_identity_and_step(start: Start) -> None:
    with start("walk") as run:
        assert run.folder.name == f"walk-{run.identity[:8]}" and len(run.identity) == 16
        assert [run.step for _ in run.steps(3)] == [0, 1, 2]
    assert run.step == 3 and not run.resumed


def test_a_tracked_generator_goes_on_over_a_restart_and_is_never_seeded_anew(start: Start) -> None:
    def draw(name: str, splits: list[int]) -> list[float]:
        drawn: list[float] = []
        for steps in splits:
            with start(name, checkpoint={"every": 1}) as run:
                rng = run.stream("own").numpy()
                run.track(rng=rng)
                drawn.extend(rng.random() for _ in run.steps(steps))
        return drawn

    assert draw("whole", [4]) == draw("parts", [1, 3, 4])


def test_streams_are_named_under_user_and_open_once_before_the_loop(start: Start) -> None:
    with start() as run:
        first = float(run.stream("a", layer=1).uniform())
        with pytest.raises(UsageError, match="SR-STREAM-002"):
            run.stream("a", layer=1)
        assert first != float(run.stream("a", layer=2).uniform())


def test_what_is_drawn_before_the_loop_belongs_to_no_step(start: Start) -> None:
    trails = {}
    for name, draws in (("plain", 0), ("drawing", 5)):
        with start(name) as run:
            run.stream("early").uniform(draws)
            list(run.steps(2))
        trails[name] = [row["streams"] for row in RunRecord.open(run.folder).trail()]
    assert trails["plain"] == trails["drawing"]


def test_values_are_tracked_without_asking(start: Start) -> None:
    with start(checkpoint={"every": 1}) as run:
        for step in run.steps(2):
            run.values["seen"] = [step.index, np.float32(0.5)]
    with start() as again:
        list(again.steps(2))
        assert again.values["seen"] == [1, np.float32(0.5)]


def test_an_evaluation_between_epochs_belongs_to_the_last_step_of_the_epoch(start: Start) -> None:
    with start() as run:
        for epoch in run.epochs(2):
            list(epoch.steps([1, 2]))
            with run.evaluation("val") as evaluation:
                evaluation.log(epoch=epoch.index)
    assert [row.get("val/epoch") for row in RunRecord.open(run.folder).metrics()] == [None, 0, None, 1]


CALLS: list[tuple[str, Callable[[Run], object]]] = [
    ("run.track", lambda run: run.track(x=np.random.default_rng(1))),
    ("run.loader", lambda run: run.loader(np.zeros((4, 2)), batch_size=2)),
    ("run.input", lambda run: run.input(".")),
    ("run.stream", lambda run: run.stream("a")),
    ("run.hook", lambda run: run.hook("a", 1, print)),
    ("run.restore", lambda run: run.restore()),
    ("run.steps", lambda run: run.steps(2)),
    ("run.epochs", lambda run: run.epochs(2)),
    ("run.evaluation", lambda run: run.evaluation().__enter__()),
    ("run.scope", lambda run: run.scope("a").__enter__()),
    ("run.finish", lambda run: run.finish()),
]


@pytest.mark.parametrize(("name", "call"), CALLS, ids=[name for name, _ in CALLS])
def test_a_run_is_used_inside_its_with_block_and_refuses_at_once_outside_of_it(
    name: str, call: Callable[[Run], object], start: Start
) -> None:
    run = start()
    for found in ("was not entered", "has ended"):
        with pytest.raises(UsageError, match="SR-RUN-028") as caught:
            call(run)
        assert name in caught.value.what and found in caught.value.evidence[0]
        assert "with samerun.start(...) as run:" in caught.value.do
        if found == "was not entered":
            with run:
                pass


def test_a_run_has_one_block(start: Start) -> None:
    with start() as run, pytest.raises(UsageError, match="SR-RUN-028"), run:
        pytest.fail("entered twice")
    with pytest.raises(UsageError, match=r"(?s)a second time.*has ended.*samerun\.start again"), run:
        pytest.fail("entered twice")
    with start() as again:
        list(again.steps(1))
    assert RunRecord.open(run.folder).manifest.status == "completed"
