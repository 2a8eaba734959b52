"""Saving in the background: the copy is that of the instant, one save at a time, and no error is lost."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from samerun.base import files
from samerun.checkpoint.read import read_checkpoint
from samerun.checkpoint.save import Saver
from samerun.checkpoint.store import list_steps
from samerun.errors import MissingError
from samerun.state.digest import digest_tree
from samerun.state.tree import pack


def state(value: float = 1.0) -> dict[str, Any]:
    return {"w": torch.full((3,), value), "a": np.full(2, value), "n": value}


@pytest.mark.parametrize("is_asynchronous", [False, True])
def test_a_checkpoint_holds_the_state_of_the_instant(is_asynchronous: bool, tmp_path: Path) -> None:
    saver, live = Saver(tmp_path, is_asynchronous=is_asynchronous), state()
    for step in range(4):
        wanted = digest_tree(live)
        saver.save(step, {"model": pack(live)}, identity="id")
        live["w"].add_(1)
        live["a"] += 1
        saver.join()
        assert saver.last is not None and saver.last.step == step
        assert digest_tree(read_checkpoint(saver.last.path).tree("model")) == wanted


class Gate:
    """Holds the background thread at its first write until it is opened."""

    def __init__(self) -> None:
        self.opened = threading.Event()

    def __call__(self, operation: str, path: Path) -> None:
        if threading.current_thread() is not threading.main_thread():
            self.opened.wait(20)


@pytest.fixture
def gate() -> Any:
    gate = Gate()
    files.on_operation(gate)
    yield gate
    gate.opened.set()
    files.on_operation(None)


def test_training_goes_on_while_it_is_written(gate: Gate, tmp_path: Path) -> None:
    saver, live = Saver(tmp_path, is_asynchronous=True), state()
    wanted = digest_tree(live)
    saver.save(1, {"model": pack(live)}, identity="id")
    assert saver.last is None and list_steps(tmp_path) == []
    live["w"].zero_()
    gate.opened.set()
    saver.join()
    assert saver.last is not None
    assert digest_tree(read_checkpoint(saver.last.path).tree("model")) == wanted


def test_the_next_save_waits_for_the_one_before(gate: Gate, tmp_path: Path) -> None:
    saver = Saver(tmp_path, is_asynchronous=True)
    saver.save(1, {"model": pack(state(1))}, identity="id")
    threading.Timer(0.05, gate.opened.set).start()
    saver.save(2, {"model": pack(state(2))}, identity="id")
    saver.join()
    assert list_steps(tmp_path) == [1, 2]
    assert read_checkpoint(tmp_path / "step-00000001").tree("model")["n"] == 1


@pytest.mark.parametrize("next_call", ["save", "join"])
def test_an_error_in_the_background_is_raised_once_by_the_next_call(next_call: str, tmp_path: Path) -> None:
    def full(operation: str, path: Path) -> None:
        raise OSError(28, "full")

    saver = Saver(tmp_path, is_asynchronous=True)
    files.on_operation(full)
    try:
        saver.save(1, {"model": pack(state())}, identity="id")
        with pytest.raises(MissingError, match="SR-FILE-001"):
            saver.join() if next_call == "join" else saver.save(2, {"model": pack(state())}, identity="id")
    finally:
        files.on_operation(None)
    saver.join()
    saver.save(3, {"model": pack(state())}, identity="id")
    saver.join()
    assert list_steps(tmp_path) == [3]


def test_a_state_that_cannot_be_written_fails_at_once_in_the_foreground(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="SR-CHECKPOINT-001"):
        Saver(tmp_path).save(1, {"a/b": pack(1)}, identity="id")


@pytest.mark.parametrize("is_asynchronous", [False, True])
def test_retention_runs_after_the_checkpoint_is_there(is_asynchronous: bool, tmp_path: Path) -> None:
    saver, seen = Saver(tmp_path, is_asynchronous=is_asynchronous), []
    saver.save(1, {"model": pack(state())}, identity="id", after=lambda: seen.append(list_steps(tmp_path)))
    saver.join()
    assert seen == [[1]]


def test_an_error_of_retention_is_raised_and_the_checkpoint_stands(tmp_path: Path) -> None:
    def after() -> None:
        raise RuntimeError("retention")

    saver = Saver(tmp_path, is_asynchronous=True)
    saver.save(1, {"model": pack(state())}, identity="id", after=after)
    with pytest.raises(RuntimeError, match="retention"):
        saver.join()
    assert list_steps(tmp_path) == [1] and saver.last is not None


def test_a_copy_reuses_the_memory_of_the_one_before(tmp_path: Path) -> None:
    saver, live = Saver(tmp_path, is_asynchronous=True), state()
    saver.save(1, {"model": pack(live)}, identity="id")
    saver.join()
    first = saver._copies["model"].tensors["w"]
    saver.save(2, {"model": pack(live)}, identity="id")
    saver.join()
    assert saver._copies["model"].tensors["w"] is first
    saver.save(3, {"other": pack({"w": torch.zeros(7)})}, identity="id")
    saver.join()
    assert read_checkpoint(tmp_path / "step-00000003").tree("other")["w"].shape == (7,)
