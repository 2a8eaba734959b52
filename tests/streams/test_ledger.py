"""The ledger: every number handed out stands in the row of the step that drew it."""

from __future__ import annotations

import gc
import weakref

import torch

from samerun.streams.source import Streams, StreamSource

ORDER = "data/order/epoch/{epoch}"


def test_a_row_holds_what_was_drawn_since_the_last_one_by_template() -> None:
    source = StreamSource(7)
    source.open(ORDER, epoch=0).permutation(64)
    source.open(ORDER, epoch=1).permutation(64)
    source.user("noise").uniform(10)
    source.user("noise", layer=1).uniform()
    source.user(3).uniform()
    source.user("noise", prefix=("step", 0)).uniform()
    assert source.take_counts() == {
        ORDER: 128,
        "step/{step}/user/noise": 1,
        "user/...": 1,
        "user/noise": 10,
        "user/noise/...": 1,
    }
    assert source.take_counts() == {}


def test_one_more_draw_shows_as_one_more() -> None:
    rows = []
    for extra in (0, 1):
        source = StreamSource(7)
        source.open(ORDER, epoch=0).permutation(64)
        source.user("x").uniform(5 + extra)
        rows.append(source.take_counts())
    assert rows[1]["user/x"] - rows[0]["user/x"] == 1
    assert rows[0][ORDER] == rows[1][ORDER]


def test_a_generator_counts_in_the_step_that_consumes_it() -> None:
    source = StreamSource(7)
    noise, coins, mask = source.user("noise").numpy(), source.user("coins").python(), source.user("mask").torch()
    assert source.take_counts() == {}
    for number in (1, 700, 0, 3):
        noise.random(number)
        for _ in range(number):
            coins.getrandbits(32)
        torch.rand(number, generator=mask)
        expected = {"user/coins": number, "user/mask": number, "user/noise": number}
        assert source.take_counts() == (expected if number else {})


def test_a_generator_that_lived_for_one_step_is_counted_and_let_go() -> None:
    source = StreamSource(7)
    references = []
    for step in range(3):
        source.begin_step()
        generator = source.user("mask", prefix=("step", step)).torch()
        torch.rand(5, generator=generator)
        references.append(weakref.ref(generator))
        del generator
        assert source.take_counts() == {"step/{step}/user/mask": 5}
    gc.collect()
    assert [reference() for reference in references] == [None, None, None]


def test_totals_go_on_over_rows_and_asking_changes_nothing() -> None:
    source = StreamSource(7)
    generator = source.user("a").numpy()
    generator.random(3)
    source.take_counts()
    generator.random(2)
    source.user("b").uniform(4)
    assert source.counts() == source.counts() == {"user/a": 5, "user/b": 4}
    assert source.take_counts() == {"user/a": 2, "user/b": 4}
    assert source.counts() == {"user/a": 5, "user/b": 4}


def test_a_workers_counts_belong_to_the_step_that_takes_its_batch() -> None:
    worker, source = StreamSource(7), StreamSource(7)
    worker.open("data/item/epoch/{epoch}/item/{item}", epoch=0, item=3).uniform(2)
    source.add_counts(worker.take_counts())
    source.add_counts({"data/item/epoch/{epoch}/item/{item}": 1})
    assert source.take_counts() == {"data/item/epoch/{epoch}/item/{item}": 3}


def test_streams_without_a_run_hold_on_to_nothing() -> None:
    generator = Streams(7).stream("a").numpy()
    reference = weakref.ref(generator)
    del generator
    gc.collect()
    assert reference() is None


def test_children_count_under_their_parents_template() -> None:
    source = StreamSource(7)
    source.user("a").child("b").uniform(3)
    assert source.take_counts() == {"user/a": 3}
