"""The loader in one process: order, epochs, resumes at every position, and what it leaves as it was."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from loader_samples import (
    Counting,
    Failing,
    Lying,
    Quiet,
    Sums,
    Unknown,
    Views,
    augment,
    drawing_collate,
    is_lucky,
    loader,
    recorded,
    shake,
    transposed,
)

from samerun.data.loader import Loader
from samerun.errors import UsageError
from samerun.streams import ambient

SAMPLES = Path(__file__).parent


def table(dataset: Any, batch_size: int, number: int, **options: Any) -> list[tuple[Any, ...]]:
    return recorded([], dataset, batch_size, number, **options)


# -- epochs and order --------------------------------------------------------------------------------------------------


def test_right_position_means_right_order_too_in_every_epoch() -> None:
    rows = table(np.arange(64), 10, 21)
    for epoch in range(3):
        items = [item for row in rows if row[0] == epoch for item in row[1]]
        assert sorted(items) == list(range(64)) and items != list(range(64))


@settings(max_examples=60)
@given(st.integers(1, 30), st.integers(1, 9), st.booleans(), st.integers(0, 14), st.booleans())
def test_a_resume_at_any_cut_of_any_epoch_goes_on_the_same(
    n: int, batch_size: int, drop_last: bool, cut: int, is_map: bool
) -> None:
    if drop_last and n < batch_size:
        return
    dataset: Any = Quiet(n) if is_map else np.arange(n)
    whole = table(dataset, batch_size, cut + 5, drop_last=drop_last)
    resumed = loader(dataset, batch_size, drop_last=drop_last)
    if cut:
        resumed.load_state_dict(whole[cut - 1][4])
        assert resumed.state_dict() == whole[cut - 1][4]
    rest = [next(resumed) for _ in range(5)]
    ids = [(batch[1] if is_map else batch).tolist() for batch in rest]
    assert ids == [row[1] for row in whole[cut:]]


def test_a_state_may_be_loaded_before_or_after_the_first_batch() -> None:
    whole = table(Unknown(10), 4, 8)
    for taken in (0, 1, 5):
        batches = loader(Unknown(10), 4)
        for _ in range(taken):
            next(batches)
        batches.load_state_dict(whole[2][4])
        assert next(batches)[0].tolist() == whole[3][1]


def test_second_and_third_resumes_go_on_the_same() -> None:
    whole = table(Unknown(12), 5, 45)
    state = None
    for start, stop in ((0, 30), (30, 40), (40, 41), (41, 42), (42, 45)):
        notes: list[Any] = []
        batches = loader(Unknown(12), 5, on_batch=lambda note, notes=notes: notes.append((note.epoch, note.digest)))
        if state is not None:
            batches.load_state_dict(state)
            assert batches.state_dict() == state
        for _ in range(stop - start):
            next(batches)
        assert notes == [(row[0], row[2]) for row in whole[start:stop]]
        state = batches.state_dict()
        assert state == whole[stop - 1][4]


def test_exactly_behind_the_last_batch_begins_the_next_epoch() -> None:
    batches = loader(np.arange(8), 4)
    assert [len(batch) for batch in batches] == [4, 4]
    assert batches.state_dict() == {"epoch": 1, "cursor": 0, "items": 8}
    assert (batches.epoch, batches.cursor, batches.batches_left) == (1, 0, 2)
    assert len(list(batches)) == 2 and batches.epoch == 2


def test_an_iterator_gives_the_rest_of_its_epoch_and_next_goes_on_for_ever() -> None:
    batches = loader(np.arange(10), 4)
    next(batches)
    assert batches.batches_left == 2 and len(list(batches)) == 2
    assert len(batches) == 3
    for _ in range(7):
        next(batches)
    assert (batches.epoch, batches.cursor) == (3, 4)


def test_leaving_a_loop_early_and_coming_back_loses_nothing() -> None:
    batches = loader(np.arange(10), 4, shuffle=False)
    for batch in batches:
        assert batch.tolist() == [0, 1, 2, 3]
        break
    assert [batch.tolist() for batch in batches] == [[4, 5, 6, 7], [8, 9]]


def test_drop_last_drops_the_short_batch_of_each_epoch_only() -> None:
    rows = table(np.arange(10), 4, 4, drop_last=True)
    assert [len(row[1]) for row in rows] == [4, 4, 4, 4] and [row[0] for row in rows] == [0, 0, 1, 1]


def test_two_loaders_of_one_run_have_orders_of_their_own() -> None:
    first, second = (table(np.arange(30), 30, 1, name=name)[0][1] for name in ("data", "validation"))
    assert first != second


# -- randomness --------------------------------------------------------------------------------------------------------


def state_of_globals() -> Any:
    return ambient.capture()


@pytest.mark.parametrize(
    ("dataset", "options"),
    [
        (Unknown(10), {}),
        (Quiet(10), {"transform": shake}),
        (Quiet(10), {"collate": drawing_collate}),
        (Counting(10), {}),
        (Quiet(10), {"keep": is_lucky}),
    ],
)
def test_the_global_generators_stay_as_they_are(dataset: Any, options: dict[str, Any]) -> None:
    before = state_of_globals()
    batches = loader(dataset, 3, **options)
    iterator = iter(batches)
    for _ in range(2):
        next(iterator)
    batches.state_dict()
    for _ in range(5):
        next(batches)
    assert not ambient.moved(before, state_of_globals())


def test_batches_do_not_depend_on_the_global_generators() -> None:
    wanted = table(Unknown(10), 4, 6)
    random.seed(99)
    np.random.seed(99)
    torch.manual_seed(99)
    assert table(Unknown(10), 4, 6) == wanted


def test_items_differ_between_epochs_and_a_data_set_that_lies_is_found() -> None:
    rows = table(Unknown(4), 4, 2, shuffle=False)
    assert rows[0][1] == rows[1][1] and rows[0][2] != rows[1][2]
    with pytest.raises(UsageError, match="SR-DATA-004"):
        next(loader(Lying(4), 4))


def test_an_item_has_the_same_augmentation_in_any_batch_size() -> None:
    def by_item(batch_size: int) -> dict[int, float]:
        batches = loader(Quiet(12), batch_size, transform=augment)
        found = {}
        for (_, index), uniform, _, _ in batches:
            found.update(zip(index.tolist(), uniform.tolist()))
        return found

    assert by_item(1) == by_item(5) == by_item(12)


def test_draws_are_counted_with_the_batch_that_they_belong_to() -> None:
    rows = table(Quiet(6), 4, 3, transform=augment)
    order, item = "data/order/epoch/{epoch}", "data/item/epoch/{epoch}/item/{item}"
    assert [row[3] for row in rows] == [{item: 12, order: 6}, {item: 6}, {item: 12, order: 6}]


def test_a_resume_in_mid_epoch_counts_no_order_a_second_time() -> None:
    rows = table(Quiet(6), 2, 3, transform=augment)
    notes: list[Any] = []
    resumed = loader(Quiet(6), 2, transform=augment, on_batch=notes.append)
    resumed.load_state_dict(rows[0][4])
    next(resumed)
    assert dict(notes[0].counts) == rows[1][3]


# -- a new process -----------------------------------------------------------------------------------------------------

CHILD = """
import json, sys
import numpy as np
from loader_samples import *
whole = json.load(sys.stdin)
dataset = {"unknown": Unknown(10), "arrays": np.arange(10), "stream": Counting(10)}
for case, rows in whole.items():
    for cut, row in enumerate(rows[:-3]):
        found = []
        note = lambda n: found.append([n.epoch, n.ids.tolist(), n.digest, dict(n.counts)])
        batches = loader(dataset[case] if case != "stream" else Counting(10), 4, on_batch=note)
        batches.load_state_dict(row[4])
        assert batches.state_dict() == row[4], (case, cut)
        for _ in range(3):
            next(batches)
        assert found == [other[:4] for other in rows[cut + 1:cut + 4]], (case, cut)
print("same")
"""


def test_a_new_process_restores_every_position_of_an_epoch_and_a_half() -> None:
    whole = {
        "unknown": table(Unknown(10), 4, 9),
        "arrays": table(np.arange(10), 4, 9),
        "stream": table(Counting(10), 4, 9),
    }
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=json.dumps(whole),
        env={"PYTHONPATH": str(SAMPLES), "PYTHONHASHSEED": "1", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "same", done.stderr


# -- options and errors ------------------------------------------------------------------------------------------------


def test_collate_functions_keep_the_layout_that_they_chose() -> None:
    batch = next(loader(Views(4), 2, collate=transposed))
    assert batch["t"].shape == (2, 4, 3) and not batch["t"].is_contiguous()


def test_items_are_named_by_their_ids() -> None:
    notes: list[Any] = []
    next(loader(Quiet(4), 4, item_id=["a", "b", "c", "d"], shuffle=False, on_batch=notes.append))
    assert notes[0].ids.tolist() == ["a", "b", "c", "d"]
    next(loader(np.arange(4), 4, item_id=lambda index: index * 10, shuffle=False, on_batch=notes.append))
    assert notes[1].ids.tolist() == [0, 10, 20, 30]


def test_items_computed_here_use_one_thread_like_those_of_workers() -> None:
    before = torch.get_num_threads()
    one = table(Sums(2), 2, 1)
    torch.set_num_threads(2)
    try:
        assert table(Sums(2), 2, 1) == one
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_what_user_code_raises_is_raised_as_such_with_the_item() -> None:
    batches = loader(Failing(6), 6)
    with pytest.raises(KeyError, match="five is broken") as caught:
        next(batches)
    assert "while loading item 5 of epoch 0" in caught.value.__notes__
    assert batches.state_dict()["cursor"] == 0


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"batch_size": 0}, "batch_size"),
        ({"batch_size": True}, "batch_size"),
        ({"batch_size": 4.0}, "batch_size"),
        ({"batch_size": 4, "num_workers": -1}, "num_workers"),
        ({"batch_size": 4, "prefetch": 0}, "prefetch"),
        ({"batch_size": 4, "prefetch": 33}, "prefetch"),
    ],
)
def test_an_option_out_of_range_is_named(options: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError, match="SR-DATA-011") as caught:
        loader(Quiet(10), **options)
    assert caught.value.evidence[0].startswith(named)


def test_several_wrong_options_are_reported_together() -> None:
    with pytest.raises(UsageError) as caught:
        loader(Quiet(10), 0, num_workers=-1, prefetch=0)
    assert len(caught.value.evidence) == 3


@pytest.mark.parametrize("options", [{"num_workers": 2}, {"item_id": [1]}])
def test_a_stream_takes_no_workers_and_no_ids(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="does not go with a stream"):
        loader(Counting(10), 4, **options)


def test_an_epoch_without_a_batch_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="SR-DATA-012"):
        loader(Quiet(0), 4)
    with pytest.raises(UsageError, match="drop_last"):
        loader(Quiet(3), 4, drop_last=True)


@pytest.mark.parametrize(
    "state", [{}, {"epoch": 0, "cursor": 99, "items": 10}, {"epoch": -1, "cursor": 0, "items": 10}]
)
def test_a_foreign_state_is_refused_and_changes_nothing(state: dict[str, Any]) -> None:
    batches = loader(Quiet(10), 4)
    next(batches)
    with pytest.raises(UsageError, match="SR-DATA-010"):
        batches.load_state_dict(state)
    assert batches.state_dict()["cursor"] == 4


def test_arrays_in_memory_start_no_worker() -> None:
    batches = loader(np.arange(10), 4, num_workers=4)
    next(batches)
    assert batches.restarts == 0
    batches.close()
    assert len(next(batches)) == 4


def test_a_loader_is_its_own_endless_iterator() -> None:
    batches = loader(np.arange(3), 2)
    assert isinstance(batches, Loader)
    assert [len(next(batches)) for _ in range(5)] == [2, 1, 2, 1, 2]
