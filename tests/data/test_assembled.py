"""Filtered, packed and streamed batches."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from loader_samples import (
    Counting,
    Documents,
    Failing,
    Quiet,
    Rewinding,
    document,
    is_kept,
    loader,
    noisy_document,
    recorded,
)

from samerun.data.loader import Loader, Pack
from samerun.errors import UsageError

CASES: dict[str, dict[str, Any]] = {
    "filter": {"dataset": Quiet(10), "keep": is_kept},
    "filter, drop last": {"dataset": Quiet(10), "keep": is_kept, "drop_last": True},
    "pack": {"dataset": Documents(10), "pack": Pack(5, end=-1)},
    "pack, pad": {"dataset": Documents(10), "pack": Pack(5, pad=0)},
    "pack, drop last, random lengths": {
        "dataset": Documents(10),
        "pack": Pack(7),
        "drop_last": True,
        "transform": noisy_document,
    },
    "stream": {"dataset": Counting(10)},
    "stream, drop last, filter": {"dataset": Rewinding(10), "drop_last": True, "draws": "none", "keep": is_kept},
}


def fresh(case: str) -> dict[str, Any]:
    options = dict(CASES[case])
    if isinstance(options["dataset"], Counting):
        options["dataset"] = type(options["dataset"])(options["dataset"].n)
    return options


def table(case: str, number: int, state: Any = None) -> list[Any]:
    notes: list[Any] = []
    batches = loader(
        batch_size=3,
        **fresh(case),
        on_batch=lambda n: notes.append((n.epoch, n.ids.tolist(), n.digest, dict(n.counts))),
    )
    if state is not None:
        batches.load_state_dict(state)
    rows = []
    for _ in range(number):
        next(batches)
        rows.append((notes[-1], batches.state_dict()))
    return rows


@pytest.mark.parametrize("case", CASES)
def test_a_resume_at_every_position_goes_on_with_the_same_batches_and_counts(case: str) -> None:
    whole = table(case, 12)
    for cut in range(8):
        assert table(case, 4, whole[cut][1]) == whole[cut + 1 : cut + 5]


@pytest.mark.parametrize("case", CASES)
def test_a_save_right_after_a_resume_equals_the_old_one(case: str) -> None:
    for _, state in table(case, 8):
        batches = loader(batch_size=3, **fresh(case))
        batches.load_state_dict(state)
        assert batches.state_dict() == state


def test_a_filter_fills_batches_and_counts_consumed_source_items() -> None:
    made: list[Loader] = []
    rows = recorded(made, Quiet(10), 4, 3, keep=is_kept, shuffle=False)
    assert [row[1] for row in rows] == [[1, 2, 4, 5], [7, 8], [1, 2, 4, 5]]
    assert [row[4]["cursor"] for row in rows] == [6, 0, 6]


@given(st.integers(1, 15), st.integers(1, 6), st.integers(1, 4))
def test_packed_rows_hold_all_documents_in_order(n: int, length: int, batch_size: int) -> None:
    tokens = [token for index in range(n) for token in document(index).tolist()]
    batches = loader(Documents(n), batch_size, pack=Pack(length, pad=-1), shuffle=False)
    found = [token for batch in batches for token in batch.ravel().tolist()]
    assert found == tokens + [-1] * (-len(tokens) % length)


def test_iterating_gives_the_rest_of_the_epoch_then_the_next() -> None:
    batches = loader(Quiet(10), 4, keep=is_kept, shuffle=False)
    next(batches)
    assert [batch[1].tolist() for batch in batches] == [[7, 8]]
    assert [batch[1].tolist() for batch in batches] == [[1, 2, 4, 5], [7, 8]] and batches.epoch == 2


def test_a_filter_that_keeps_nothing_is_an_error_and_no_endless_loop() -> None:
    with pytest.raises(UsageError, match="SR-DATA-009"):
        next(loader(Quiet(10), 4, keep=lambda item: False, draws="none"))


def test_a_failed_batch_is_asked_for_again() -> None:
    batches = loader(Failing(10), 4, keep=is_kept, shuffle=False)
    first = batches.state_dict()
    for _ in range(2):
        with pytest.raises(KeyError):
            next(batches)
        assert batches.state_dict() == first


def test_a_stream_is_read_no_further_than_its_batches() -> None:
    dataset = Counting(10)
    batches = loader(dataset, 3)
    next(batches)
    assert dataset.at == 3 and batches.state_dict()["source"] == {"at": 3}


def test_a_state_does_not_change_while_the_stream_goes_on() -> None:
    class Live(Counting):
        def __init__(self, n: int) -> None:
            super().__init__(n)
            self.live = {"at": 0}

        def state_dict(self) -> dict[str, Any]:
            self.live["at"] = self.at
            return self.live

    batches = loader(Live(10), 3)
    next(batches)
    state = batches.state_dict()
    next(batches)
    batches.state_dict()
    assert state["source"] == {"at": 3}


def test_an_error_in_a_stream_is_not_taken_for_its_end() -> None:
    class Broken(Counting):
        def __iter__(self) -> Any:
            for item in super().__iter__():
                if item[0] == 4:
                    raise OSError("the disk is gone")
                yield item

    batches = loader(Broken(10), 3)
    next(batches)
    with pytest.raises(OSError, match="the disk is gone"):
        next(batches)
    with pytest.raises(UsageError, match="SR-DATA-014"):
        next(batches)


def test_a_length_that_only_reading_can_tell_is_no_length() -> None:
    batches = loader(Quiet(10), 4, keep=is_kept)
    with pytest.raises(TypeError, match="does not know"):
        len(batches)
    with pytest.raises(TypeError, match="does not know"):
        _ = batches.batches_left
    assert len(list(batches)) == 2


def test_columns_in_memory_are_packed_and_filtered_as_items() -> None:
    x = torch.arange(12).view(4, 3)
    batches = loader(x, 2, pack=Pack(4), shuffle=False)
    assert next(batches).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    kept = loader((x, np.arange(4)), 2, keep=is_kept, shuffle=False)
    assert next(kept)[1].tolist() == [1, 2]


@pytest.mark.parametrize("case", CASES)
def test_reading_ahead_to_know_the_end_of_an_epoch_changes_nothing(case: str) -> None:
    wanted = table(case, 9)
    notes: list[Any] = []
    batches = loader(batch_size=3, **fresh(case), on_batch=notes.append)
    states, lasts = [], []
    for _ in range(9):
        while not batches.has_more(batches.epoch):
            pass
        before = (batches.epoch, batches.cursor, batches.state_dict())
        assert batches.has_more(batches.epoch) and (batches.epoch, batches.cursor, batches.state_dict()) == before
        epoch = batches.epoch
        next(batches)
        lasts.append(not batches.has_more(epoch))
        states.append(batches.state_dict())
    assert [(n.epoch, n.ids.tolist(), n.digest, dict(n.counts)) for n in notes] == [row[0] for row in wanted]
    ends = [row[0][0] != after[0][0] for row, after in pairwise(wanted)]
    assert lasts[:-1] == ends
    for state, (_, plain) in zip(states, wanted, strict=True):
        assert table(case, 3, state) == table(case, 3, plain)


def test_a_batch_that_was_read_ahead_is_not_lost_by_a_load_or_a_close() -> None:
    batches = loader(Quiet(10), 4, keep=is_kept, shuffle=False)
    assert batches.has_more(0)
    batches.close()
    assert next(batches)[1].tolist() == [1, 2, 4, 5]
    assert batches.has_more(0)
    batches.load_state_dict({"epoch": 0, "cursor": 0, "items": 10})
    assert next(batches)[1].tolist() == [1, 2, 4, 5]


def test_where_the_length_is_known_nothing_is_read_ahead() -> None:
    batches = loader(Quiet(8), 4)
    assert batches.has_more(0) and not batches.has_more(1)
    list(batches)
    assert not batches.has_more(0) and batches.has_more(1)
