"""The worker's side of a channel, served by a thread of this process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from loader_samples import Failing, FailingOddly, Lying, Quiet, is_kept

from samerun.data import wire
from samerun.data.draws import plan_of
from samerun.data.fetch import Fetcher, Request
from samerun.data.worker import serve


@pytest.fixture
def channel() -> Iterator[socket.socket]:
    threads = torch.get_num_threads()
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    worker = threading.Thread(target=serve, args=(there,))
    worker.start()
    yield here
    here.close()
    worker.join(5)
    there.close()
    assert not worker.is_alive()
    torch.set_num_threads(threads)


def asked(channel: socket.socket, dataset: Any, *indices: int, **options: Any) -> Any:
    plan = plan_of(dataset, keep=options.get("keep"))
    wire.send(channel, Fetcher(dataset, plan, 7, **options))
    wire.send(channel, Request(0, 0, np.array(indices), 0))
    return wire.receive(channel)


def test_requests_are_answered_until_the_channel_closes(channel: socket.socket) -> None:
    kind, fetched = asked(channel, Quiet(9), 3, 1)
    assert kind == "done" and fetched.batch[1].tolist() == [3, 1]
    for number in range(3):
        wire.send(channel, Request(0, 0, np.array([number]), 0))
        assert wire.receive(channel)[1].batch[1].tolist() == [number]


def test_an_exception_travels_with_its_notes_and_its_traceback(channel: socket.socket) -> None:
    kind, error, notes = asked(channel, Failing(9), 5)
    assert kind == "raised" and isinstance(error, KeyError)
    assert "while loading item 5 of epoch 0" in notes and "loader_samples.py" in notes[-1]


def test_an_exception_that_cannot_be_rebuilt_travels_as_its_text(channel: socket.socket) -> None:
    _, error, _ = asked(channel, FailingOddly(9), 5)
    assert type(error) is RuntimeError and str(error) == "Unportable: 1 and 2"


def test_a_draw_against_the_declaration_is_found_here_too(channel: socket.socket) -> None:
    kind, error, _ = asked(channel, Lying(9), 5)
    assert kind == "raised" and error.code == "SR-DATA-004"


def test_an_error_before_a_filter_is_kept_for_its_turn(channel: socket.socket) -> None:
    kind, fetched = asked(channel, Failing(9), 4, 5, 6, keep=is_kept, is_collated=False)
    assert kind == "done" and len(fetched.batch) == 2 and fetched.batch[1].error[0] == "raised"


def test_a_batch_that_cannot_travel_is_said_so(channel: socket.socket) -> None:
    wire.send(channel, Fetcher(Quiet(9), plan_of(Quiet(9)), 7, collate=_functions))
    wire.send(channel, Request(0, 0, np.array([1]), 0))
    kind, error, _ = wire.receive(channel)
    assert kind == "raised" and error.code == "SR-DATA-006"


def _functions(items: list[Any]) -> Any:
    return lambda: items


def test_a_data_set_that_cannot_be_unpacked_is_reported_with_the_first_request(channel: socket.socket) -> None:
    channel.sendall(wire._HEAD.pack(b"I", 0, 3) + b"rub")
    wire.send(channel, Request(0, 0, np.array([1]), 0))
    kind, text = wire.receive(channel)
    assert kind == "failed" and text
