"""torch's part of the guard: the function mode is in force between steps only, and leaves others alone."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode

from samerun.streams import guarded_torch
from samerun.streams.guard import Guard
from samerun.streams.guarded import guarding


class Noting(TorchFunctionMode):
    """A mode of the user's own."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(func.__name__)
        return func(*args, **(kwargs or {}))


def depth() -> int:
    count: int = torch._C._len_torch_function_stack()  # type: ignore[attr-defined]
    return count


def test_no_mode_is_in_force_in_a_steps_body() -> None:
    with guarding(Guard("record", Path(__file__).parent)) as guard:
        guard.begin()
        guard.cover(0)
        assert depth() == 0
        guard.rest(1)
        assert depth() == 1
        guard.cover(1)
        assert depth() == 0
        guard.rest(2)
    assert depth() == 0


def test_a_mode_that_the_user_entered_between_steps_stays_in_force() -> None:
    with guarding(Guard("record", Path(__file__).parent)) as guard:
        guard.begin()
        guard.rest(0)
        with Noting() as mode:
            guard.cover(0)
            torch.ones(2)
            assert mode.names[-1] == "ones" and depth() == 1
        assert depth() == 0


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: torch.randperm(4), "randperm"),
        (lambda: torch.empty(3).normal_(), "normal_"),
        (lambda: torch.nn.functional.dropout(torch.ones(9), 0.5), "dropout"),
        (lambda: torch.nn.init.xavier_uniform_(torch.empty(2, 2)), "uniform_"),
        (lambda: torch.multinomial(torch.ones(4), 1), "multinomial"),
        (lambda: torch.rrelu(-torch.ones(3), training=True), "rrelu"),
    ],
)
def test_a_call_that_moves_a_default_generator_is_named(call: Any, name: str) -> None:
    with guarding(Guard("record", Path(__file__).parent)) as guard:
        guard.begin()
        guard.rest(0)
        call()
        guard.cover(0)
        assert [found.what for found in guard.findings.take()] == [f"torch.{name}"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.ones(3) + 1,
        lambda: torch.rand(3, generator=torch.Generator()),
        lambda: torch.nn.functional.dropout(torch.ones(9), 0.5, training=False),
    ],
)
def test_a_call_that_moves_none_is_no_finding(call: Any) -> None:
    with guarding(Guard("record", Path(__file__).parent)) as guard:
        guard.begin()
        guard.rest(0)
        call()
        guard.cover(0)
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        assert guard.findings.take() == []


def test_a_draw_in_a_thread_that_a_pool_starts_is_found() -> None:
    def draw() -> torch.Tensor:
        return torch.rand(3)

    with guarding(Guard("record", Path(__file__).parent)) as guard:
        guard.begin()
        guard.cover(0)
        with ThreadPoolExecutor(1, "pool") as pool, ThreadPool(1) as other:
            pool.submit(draw).result()
            assert [(one.kind, one.what, one.step) for one in guard.findings.take()] == [("thread", "torch.rand", 0)]
            other.apply(draw)
        assert [(one.kind, one.what, one.step) for one in guard.findings.take()] == [("thread", "torch.rand", 0)]


def test_a_thread_keeps_its_run_and_the_guard_leaves_no_trace_on_it() -> None:
    class Worker(threading.Thread):
        def run(self) -> None:
            self.result = torch.ones(2).sum().item()

    with guarding(Guard("record", Path(__file__).parent)):
        worker = Worker()
        worker.start()
        worker.join()
    assert worker.result == 2.0 and "run" not in vars(worker)


def test_an_activation_that_is_computed_again_puts_its_state_back_without_a_finding() -> None:
    from torch.utils.checkpoint import checkpoint

    with guarding(Guard("raise", Path(__file__).parent)) as guard:
        guard.begin()
        guard.cover(0)
        x = torch.ones(4, requires_grad=True)
        checkpoint(lambda value: torch.nn.functional.dropout(value, 0.5), x, use_reentrant=False).sum().backward()
    assert x.grad is not None


def test_what_torch_seeds_and_puts_back_itself_is_no_finding() -> None:
    early = torch.get_rng_state()
    with guarding(Guard("record", Path(__file__).parent)) as guard:
        guard.begin()
        guard.cover(0)
        space = {"__name__": "torch.inside", "torch": torch, "early": early}
        exec(compile("torch.manual_seed(1)\ntorch.set_rng_state(early)", "/lib/torch/inside.py", "exec"), space)
        assert guard.findings.take() == []
        torch.set_rng_state(early)
    assert [found.what for found in guard.findings.take()] == ["torch.set_rng_state"]


def test_the_draws_of_another_process_of_a_torch_loader_are_none() -> None:
    with guarding(Guard("raise", Path(__file__).parent)) as guard:
        guard.begin()
        guard.cover(0)
        loader = torch.utils.data.DataLoader(range(4), batch_size=2, shuffle=True, num_workers=1)  # type: ignore[arg-type]
        assert len(list(loader)) == 2


def test_torch_is_left_alone_where_nobody_imported_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(__import__("sys").modules, "torch")
    guarded_torch.watch_between(Guard("record", Path()))
    assert depth() == 0
