"""Which draws are findings: decided by where the run stands, never by what is drawn."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from samerun.streams import ambient
from samerun.streams.guard import Guard
from samerun.streams.guarded import guarding
from samerun.streams.source import Streams


@pytest.fixture
def guard() -> Iterator[Guard]:
    with guarding(Guard("record", Path(__file__).parent)) as standing:
        yield standing


def kinds(guard: Guard) -> list[tuple[str, str]]:
    return [(found.kind, found.what) for found in guard.findings.take()]


def draw_all() -> None:
    random.random()
    np.random.rand()
    torch.rand(1)


def test_a_draw_in_the_setup_or_in_a_step_is_never_a_finding(guard: Guard) -> None:
    guard.begin()
    draw_all()
    guard.cover(0)
    draw_all()
    assert kinds(guard) == []


def test_a_draw_between_steps_is_a_finding_at_its_line(guard: Guard) -> None:
    guard.begin()
    guard.rest(3)
    draw_all()
    guard.cover(3)
    found = guard.findings.take()
    assert [one.what for one in found] == ["random.random", "numpy.random.rand", "torch.rand"]
    assert {(one.kind, one.step, str(one.site).split(":")[0]) for one in found} == {("draw", 3, "test_guard.py")}


def test_a_draw_in_a_scope_between_steps_has_an_address(guard: Guard) -> None:
    guard.begin()
    guard.rest(3)
    with ambient.scope(Streams(seed=7).stream("diagnostic")):
        draw_all()
        random.seed(5)
    guard.cover(3)
    assert kinds(guard) == []


def test_a_draw_through_a_name_that_was_bound_early_is_found_without_its_line() -> None:
    bound_early = random.random, np.random.mtrand._rand.random_sample, torch.default_generator.seed  # type: ignore[attr-defined]
    with guarding(Guard("record", Path(__file__).parent)) as guard:
        guard.begin()
        guard.rest(3)
        for draw in bound_early:
            draw()
        guard.cover(3)
        found = guard.findings.take()
    assert [(one.what.split()[-1], one.site, one.place) for one in found] == [
        (library, None, "between steps, before step 3") for library in ("numpy", "python", "torch")
    ]


def test_before_the_run_only_what_nobody_seeded_is_a_finding(guard: Guard) -> None:
    torch.rand(1)
    random.random()
    random.seed(3)
    random.random()
    np.random.seed(3)
    np.random.rand()
    guard.begin()
    assert kinds(guard) == [("draw", "random.random")]


def test_a_draw_of_numpy_before_the_run_is_found_also_where_no_name_of_it_was_called(guard: Guard) -> None:
    np.random.mtrand._rand.shuffle([1, 2, 3])  # type: ignore[attr-defined]  # what scikit-learn's splits do
    guard.begin()
    (found,) = guard.findings.take()
    assert (found.site, found.place) == (None, "before the run began")


def test_seeding_inside_the_run_is_a_finding_and_putting_back_a_state_of_this_step_is_not(guard: Guard) -> None:
    guard.begin()
    early = random.getstate()
    guard.cover(0)
    random.random()
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    random.setstate(states[0])
    np.random.set_state(states[1])
    torch.set_rng_state(states[2])
    assert kinds(guard) == []
    random.setstate(early)
    np.random.seed(1)
    torch.manual_seed(1)
    assert kinds(guard) == [("seed", "random.setstate"), ("seed", "numpy.random.seed"), ("seed", "torch.manual_seed")]


def test_seeding_in_a_fork_of_torchs_generators_is_none(guard: Guard) -> None:
    guard.begin()
    guard.cover(0)
    with torch.random.fork_rng():
        torch.manual_seed(1)
    assert kinds(guard) == []


def test_a_draw_in_another_thread_is_a_finding_in_a_step_too(guard: Guard) -> None:
    guard.begin()
    guard.cover(2)
    thread = threading.Thread(target=draw_all, name="augment")
    thread.start()
    thread.join()
    found = guard.findings.take()
    assert [one.what for one in found] == ["random.random", "numpy.random.rand", "torch.rand"]
    assert {(one.kind, one.thread, one.step) for one in found} == {("thread", "augment", 2)}


def test_a_forked_process_draws_by_its_own_rules(guard: Guard) -> None:
    guard.begin()
    guard.cover(0)
    pid = os.fork()
    if pid == 0:
        random.seed(1)
        np.random.default_rng()
        os._exit(len(guard.findings.take()))
    assert os.waitpid(pid, 0)[1] == 0


def test_after_the_run_nothing_of_it_is_left(guard: Guard) -> None:
    guard.begin()
    guard.rest(4)
    guard.end()
    assert guard.is_outside and not guard.is_between
    torch.rand(1)
    assert kinds(guard) == []
