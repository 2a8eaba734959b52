"""What goes between processes arrives as it was: bits, dtype, strides, alignment."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from samerun.data import wire

Channel = tuple[socket.socket, socket.socket]


@pytest.fixture
def channel() -> Iterator[Channel]:
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with here, there:
        yield here, there


def sent(channel: Channel, value: Any) -> Any:
    wire.send(channel[0], value)
    return wire.receive(channel[1])


TENSORS = {
    "transposed": torch.arange(12.0).view(3, 4).T,
    "offset": torch.arange(16.0).view(4, 4)[1:, 1:],
    "expanded": torch.ones(1).expand(5),
    "empty": torch.zeros(0, 3),
    "zero dimensions": torch.tensor(3.5),
    "bfloat16": torch.arange(5.0).bfloat16(),
    "float8": torch.arange(5.0).to(torch.float8_e4m3fn),
    "complex": torch.arange(4.0).to(torch.complex64) * 1j,
    "bool": torch.tensor([True, False]),
    "channels last": torch.arange(120.0).view(2, 3, 4, 5).to(memory_format=torch.channels_last),
    "large": torch.arange(10_000.0),
    "nan": torch.tensor([float("nan"), -0.0]),
}
ARRAYS = {
    "transposed": np.arange(6.0).reshape(2, 3).T,
    "backwards": np.arange(10)[::-2],
    "text": np.array(["a", "bcd"]),
    "empty": np.zeros((0, 2)),
    "zero dimensions": np.array(3.5),
    "structured": np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]),
    "large": np.arange(10_000),
    "big end": np.arange(3, dtype=">i4"),
    "half": np.arange(3, dtype=np.float16),
}


@pytest.mark.parametrize("name", TENSORS)
def test_a_tensor_keeps_bits_dtype_strides_and_alignment(channel: Channel, name: str) -> None:
    value = TENSORS[name]
    found = sent(channel, [value])[0]
    assert found.dtype == value.dtype and found.shape == value.shape
    assert bytes(found.contiguous().view(-1).view(torch.uint8)) == bytes(value.contiguous().view(-1).view(torch.uint8))
    if value.numel():
        assert found.stride() == value.stride() and found.data_ptr() % 64 == value.data_ptr() % 64


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_keeps_bits_dtype_strides_and_alignment(channel: Channel, name: str) -> None:
    value = ARRAYS[name]
    found = sent(channel, {"x": value})["x"]
    assert found.dtype == value.dtype and found.shape == value.shape and found.tobytes() == value.tobytes()
    if value.size:
        assert found.strides == value.strides and found.ctypes.data % 64 == value.ctypes.data % 64


def test_what_arrives_can_be_written_to_and_is_nobody_elses(channel: Channel) -> None:
    value = torch.zeros(10_000)
    found = sent(channel, value)
    found += 1
    assert value.sum() == 0 and found.sum() == 10_000


def test_other_objects_travel_too(channel: Channel) -> None:
    value = {"a": [1, 2.5, None, "text", b"bytes", (True, 1j)], 3: {4}, "objects": np.array([{}], object)}
    assert sent(channel, value) == value
    assert sent(channel, torch.ones(3, requires_grad=True)).requires_grad


def test_a_message_larger_than_a_sockets_buffer_does_not_block_the_sender(channel: Channel) -> None:
    for number in range(32):
        wire.send(channel[0], (number, "x" * 1_000_000, np.full(1000, number)))
    for number in range(32):
        assert wire.receive(channel[1])[0] == number


def test_a_parcel_goes_to_many_and_each_may_write(channel: Channel) -> None:
    parcel = wire.Parcel(np.zeros(100_000))
    for _ in range(2):
        parcel.send(channel[0])
    parcel.close()
    first = wire.receive(channel[1], is_shared=True)
    first += 1
    assert wire.receive(channel[1], is_shared=True).sum() == 0


def test_the_other_sides_end_is_an_eof_error_also_while_waiting(channel: Channel) -> None:
    threading.Timer(0.05, channel[0].close).start()
    with pytest.raises(EOFError):
        wire.receive(channel[1])
    with pytest.raises(OSError, match=r".+"):
        wire.send(channel[1], 1)


def test_no_descriptor_is_left_open(channel: Channel) -> None:
    before = len(os.listdir("/proc/self/fd"))
    kept = [sent(channel, torch.ones(10_000)) for _ in range(20)]
    assert len(os.listdir("/proc/self/fd")) == before and len(kept) == 20


def test_what_cannot_be_packed_raises_before_anything_is_sent(channel: Channel) -> None:
    with pytest.raises(Exception, match="lambda"):
        wire.send(channel[0], lambda: None)
    assert sent(channel, 1) == 1


def test_the_memory_of_a_large_message_goes_with_the_last_array_in_it(channel: Channel) -> None:
    def mappings() -> int:
        return Path("/proc/self/maps").read_text().count("samerun-batch")

    before = mappings()
    value = (torch.zeros(wire.MAPPED_BYTES), np.arange(5))
    tensor, array = sent(channel, value)
    assert mappings() == before + 1 and tensor.data_ptr() % 64 == value[0].data_ptr() % 64
    del tensor
    array += 1
    assert array.tolist() == [1, 2, 3, 4, 5] and mappings() == before + 1
    del array
    assert mappings() == before


@pytest.mark.parametrize("size", [1, 63, 64, 1000])
def test_fresh_memory_begins_at_a_multiple_of_64(size: int) -> None:
    memory = wire.aligned(size)
    assert memory.size == size and memory.ctypes.data % 64 == 0 and memory.flags.writeable
