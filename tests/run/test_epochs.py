"""Epochs: micro-batches in steps, foreign iterables, resuming inside an epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

from samerun.errors import Stopped, UsageError
from samerun.record.reader import RunRecord
from samerun.run.run import Run

Start = Callable[..., Run]
DATA = np.arange(10)


def turn(start: Start, name: str = "epochs", *, accumulate: int = 2, **given: Any) -> tuple[list[Any], Run]:
    """Three epochs of 5 batches; what each body saw: epoch, step, micro, is_update, sum of the batch."""
    seen: list[Any] = []
    with start(name, checkpoint={"every": 1}, **given) as run:
        batches = run.loader(DATA, batch_size=2)
        run.track(batches=batches)
        for epoch in run.epochs(3):
            for step, batch in epoch.steps(batches, accumulate=accumulate):
                seen.append((epoch.index, step.index, step.micro, step.is_update, int(np.asarray(batch).sum())))
                if step.is_update:
                    step.log(epoch=epoch.index)
            run.values["epochs"] = run.values.get("epochs", 0) + 1
    return seen, run


def test_windows_do_not_cross_epochs_and_the_last_may_be_shorter(start: Start) -> None:
    seen, run = turn(start)
    assert [one[:4] for one in seen[:5]] == [
        (0, 0, 0, False),
        (0, 0, 1, True),
        (0, 1, 0, False),
        (0, 1, 1, True),
        (0, 2, 0, True),
    ]
    assert run.step == 9 and len(seen) == 15


@pytest.mark.parametrize("stop_after", [1, 3, 4])
def test_a_stop_anywhere_in_an_epoch_goes_on_behind_the_last_settled_step(start: Start, stop_after: int) -> None:
    whole, _ = turn(start, "whole")
    with pytest.raises(Stopped):
        turn(start, "parts", options={"stop_after": stop_after})
    rest, run = turn(start, "parts")
    assert rest == [one for one in whole if one[1] >= stop_after]
    assert run.values["epochs"] == 3


def test_what_is_done_between_two_epochs_is_in_the_checkpoint_of_the_last_step(start: Start) -> None:
    with pytest.raises(Stopped):
        turn(start, options={"stop_after": 3})
    with start("epochs") as run:
        run.track(batches=run.loader(DATA, batch_size=2))
        run.restore()
        assert run.values["epochs"] == 1


def test_each_micro_batch_has_ambient_randomness_of_its_own(start: Start) -> None:
    drawn = []
    with start() as run:
        for epoch in run.epochs(2):
            for _ in epoch.steps([1, 2, 3], accumulate=3):
                drawn.append(torch.rand(1).item())
    assert len(set(drawn)) == 6


def test_a_foreign_iterable_with_a_length_is_noted_in_the_trail(start: Start) -> None:
    with start() as run:
        seen = [batch for epoch in run.epochs(2) for _, batch in epoch.steps([[1.0], [2.0]])]
    trail = list(RunRecord.open(run.folder).trail())
    assert seen == [[1.0], [2.0]] * 2 and run.step == 4
    assert trail[0]["batch"] == trail[2]["batch"] != trail[1]["batch"]


def test_a_foreign_loader_shuffles_each_epoch_anew_and_by_the_seed_alone(start: Start) -> None:
    orders = []
    for name in ("one", "two"):
        loader = torch.utils.data.DataLoader(range(16), batch_size=4, shuffle=True)  # type: ignore[arg-type]
        with start(name) as run:
            orders.append([[b.tolist() for _, b in epoch.steps(loader)] for epoch in run.epochs(2)])
    assert orders[0] == orders[1] and orders[0][0] != orders[0][1]
    assert sorted(item for batch in orders[0][0] for item in batch) == list(range(16))


def test_what_a_foreign_loader_draws_is_no_part_of_the_step(start: Start) -> None:
    class Drawing:
        def __len__(self) -> int:
            return 2

        def __iter__(self) -> Iterator[float]:
            return iter(torch.rand(2).tolist())

    drawn: dict[str, list[float]] = {}
    for name, batches in (("plain", [0.0, 0.0]), ("drawing", Drawing())):
        with start(name) as run:
            drawn[name] = [torch.rand(1).item() for epoch in run.epochs(2) for _ in epoch.steps(batches)]
    assert drawn["plain"] == drawn["drawing"]


def test_an_iterable_without_a_length_is_refused(start: Start) -> None:
    with pytest.raises(UsageError, match="SR-RUN-005"), start() as run:
        for epoch in run.epochs(1):
            list(epoch.steps(iter([1, 2])))


def test_an_iterable_shorter_than_its_length_is_refused_in_words(start: Start) -> None:
    class Short(list[int]):
        def __len__(self) -> int:
            return 5

    with pytest.raises(UsageError) as caught, start() as run:
        for epoch in run.epochs(1):
            list(epoch.steps(Short([1, 2])))
    assert caught.value.code == "SR-RUN-005" and run.step == 2


def test_a_window_of_no_batches_is_refused(start: Start) -> None:
    with pytest.raises(UsageError, match="SR-RUN-004"), start() as run:
        for epoch in run.epochs(1):
            list(epoch.steps([1], accumulate=0))


def test_finishing_ends_all_epochs(start: Start) -> None:
    with start() as run:
        for epoch in run.epochs(4):
            for step, _ in epoch.steps([1, 2, 3]):
                if (epoch.index, step.index) == (1, 4):
                    run.finish()
    assert run.step == 5 and RunRecord.open(run.folder).manifest.status == "completed"
    with start() as again:
        assert list(again.epochs(4)) == []


def foreign(start: Start, name: str, batches: Any, *, accumulate: int = 2, **given: Any) -> list[Any]:
    """Two epochs over something that is no loader of ours; what each body saw."""
    seen: list[Any] = []
    with start(name, checkpoint={"every": 1}, **given) as run:
        for epoch in run.epochs(2):
            for step, batch in epoch.steps(batches, accumulate=accumulate):
                seen.append((epoch.index, step.index, step.micro, torch.as_tensor(batch).tolist()))
    return seen


def shuffled() -> Any:
    return torch.utils.data.DataLoader(range(10), batch_size=2, shuffle=True)  # type: ignore[arg-type]


@pytest.mark.parametrize("batches", [lambda: [[1], [2], [3], [4], [5]], shuffled], ids=["list", "shuffled"])
@pytest.mark.parametrize("stop_after", [1, 2, 3, 4, 5])
def test_a_foreign_iterable_goes_on_behind_what_was_consumed(start: Start, batches: Any, stop_after: int) -> None:
    whole = foreign(start, "whole", batches())
    with pytest.raises(Stopped):
        foreign(start, "parts", batches(), options={"stop_after": stop_after})
    assert foreign(start, "parts", batches()) == [one for one in whole if one[1] >= stop_after]
    assert len(whole) == 10


def test_micro_batches_of_a_step_are_fetched_with_randomness_of_their_own(start: Start) -> None:
    class Noisy(torch.utils.data.Dataset[Any]):
        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> Any:
            return torch.rand(1)

    seen = foreign(start, "noisy", torch.utils.data.DataLoader(Noisy()), accumulate=4)
    assert len({str(one[3]) for one in seen}) == 8


def test_two_iterables_in_one_epoch_are_both_passed_over_as_far_as_they_were_consumed(start: Start) -> None:
    def both(name: str, **given: Any) -> list[int]:
        seen: list[int] = []
        with start(name, checkpoint={"every": 1}, **given) as run:
            for epoch in run.epochs(2):
                for batches in ([1, 2, 3], [4, 5, 6]):
                    seen.extend(batch for _, batch in epoch.steps(batches))
        return seen

    with pytest.raises(Stopped):
        both("both", options={"stop_after": 4})
    assert both("both") == [5, 6, 1, 2, 3, 4, 5, 6]


def test_epochs_behind_another_loop_begin_at_their_first_batch(start: Start) -> None:
    seen: list[int] = []
    for stop_after in (4, None):
        try:
            with start(checkpoint={"every": 1}, options={"stop_after": stop_after}) as run:
                list(run.steps(3))
                for epoch in run.epochs(1):
                    seen.extend(batch for _, batch in epoch.steps([1, 2, 3]))
        except Stopped:
            seen.clear()
    assert seen == [2, 3] and run.step == 6


def test_an_iterable_that_is_tracked_keeps_its_own_place(start: Start) -> None:
    class Placed:
        place = 0

        def __len__(self) -> int:
            return 4

        def __iter__(self) -> Iterator[int]:
            while self.place < 4:
                self.place += 1
                yield self.place
            self.place = 0

        def state_dict(self) -> dict[str, int]:
            return {"place": self.place}

        def load_state_dict(self, state: dict[str, int]) -> None:
            self.place = state["place"]

    seen: list[int] = []
    for stop_after in (3, None):
        try:
            with start(checkpoint={"every": 1}, options={"stop_after": stop_after}) as run:
                placed = Placed()
                run.track(placed=placed)
                for epoch in run.epochs(1):
                    for _, batch in epoch.steps(placed):
                        seen.append(batch)
        except Stopped:
            pass
    assert seen == [1, 2, 3, 4] and run.step == 4


@pytest.mark.parametrize("micro", [0, 1])
def test_break_settles_nothing_of_the_step_it_leaves(start: Start, micro: int) -> None:
    with start("broken") as run:
        batches = run.loader(DATA, batch_size=2)
        run.track(batches=batches)
        for epoch in run.epochs(1):
            for step, _ in epoch.steps(batches, accumulate=2):
                if (step.index, step.micro) == (1, micro):
                    break
    assert [row["step"] for row in RunRecord.open(run.folder).trail()] == [0]
