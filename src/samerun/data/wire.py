"""Batches between processes: one message, whole or not at all, with every tensor and array as it was.

Small messages go through the socket, larger ones through an unnamed memory file whose descriptor is sent: nothing is
left behind by a kill, and a socket never fills up. Dtype, shape, strides and the place within 64 bytes are kept, since
kernels may choose by them. Between processes of one run only; nothing of this is ever read from a file.
"""

from __future__ import annotations

import copyreg
import ctypes
import io
import mmap
import os
import socket
import struct
import threading
import weakref
from functools import cache
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np
from numpy.typing import NDArray

Buffer = NDArray[np.uint8]

ALIGNMENT = 64
INLINE_BYTES = 2048
"""Messages up to this size travel in the socket itself: a window of 32 of them fits into its buffer."""
MAPPED_BYTES = 1 << 20
"""From this size on a message is not copied out of its memory file but stays in it."""
_HEAD = struct.Struct("<cQQ")
_ROOM = _HEAD.size + INLINE_BYTES


class _Packer(ForkingPickler):
    """Serializes with the bytes of tensors and arrays put aside, each at an offset that keeps its alignment."""

    def __init__(self, head: io.BytesIO) -> None:
        super().__init__(head, 5)
        # Not torch's reducers for other processes: they share memory with the sender, which then must not die.
        self.dispatch_table = copyreg.dispatch_table
        self.pieces: list[tuple[int, memoryview]] = []
        self.end = 0

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if kind is np.ndarray:
            return self._array(value)
        if kind.__name__ == "Tensor" and kind.__module__ == "torch":
            return self._tensor(value)
        return NotImplemented

    def _put(self, address: int, size: int) -> int:
        offset = self.end + (address - self.end) % ALIGNMENT
        self.pieces.append((offset, memoryview((ctypes.c_char * size).from_address(address)).cast("B")))
        self.end = offset + size
        return offset

    def _array(self, value: np.ndarray[Any, Any]) -> Any:
        if value.dtype.hasobject or value.size == 0:
            return NotImplemented
        low, high = np.lib.array_utils.byte_bounds(value)
        offset = self._put(low, high - low)
        return _array, (offset + value.ctypes.data - low, value.dtype, value.shape, value.strides)

    def _tensor(self, value: Any) -> Any:
        import torch

        is_plain = value.layout is torch.strided and value.device.type == "cpu" and value.numel() > 0
        if not is_plain or value.requires_grad or value.is_conj() or value.is_neg() or value.is_quantized:
            return NotImplemented
        count = 1 + sum((size - 1) * stride for size, stride in zip(value.shape, value.stride(), strict=True))
        offset = self._put(value.data_ptr(), count * value.element_size())
        return _tensor, (offset, str(value.dtype), tuple(value.shape), value.stride(), count)


class _Reading(threading.local):
    buffer: Buffer


_reading = _Reading()


def _array(offset: int, dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    return np.ndarray(shape, dtype, buffer=_reading.buffer.data, offset=offset, strides=strides)


def _tensor(offset: int, dtype: str, shape: tuple[int, ...], strides: tuple[int, ...], count: int) -> Any:
    import torch

    kind: torch.dtype = getattr(torch, dtype.removeprefix("torch."))
    flat = torch.frombuffer(_reading.buffer.data, dtype=kind, count=count, offset=offset)
    return flat.as_strided(shape, strides)


class Parcel:
    """One value ready to be sent, to several receivers if need be; close it when it is sent."""

    def __init__(self, value: Any) -> None:
        head = io.BytesIO()
        packer = _Packer(head)
        packer.dump(value)
        spelled = head.getbuffer()
        self.names_main = b"__main__" in bytes(spelled)
        """Whether the receiver needs the script that is the sender's main module."""
        self._file: int | None = None
        kind = b"I" if packer.end + len(spelled) <= INLINE_BYTES else b"F"
        self._message = bytearray(_HEAD.pack(kind, packer.end, len(spelled)))
        if kind == b"I":
            blob = bytearray(packer.end)
            for offset, piece in packer.pieces:
                blob[offset : offset + len(piece)] = piece
            self._message += blob + spelled
            return
        self._file = os.memfd_create("samerun-batch", os.MFD_CLOEXEC)
        for offset, piece in packer.pieces:
            _write_at(self._file, piece, offset)
        _write_at(self._file, spelled, packer.end)

    def send(self, channel: socket.socket) -> None:
        """Send it. Raises OSError when the other side is gone."""
        if self._file is None:
            channel.sendall(self._message)
        else:
            socket.send_fds(channel, [self._message], [self._file])

    def close(self) -> None:
        """Let go of the memory file; receivers keep theirs."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def send(channel: socket.socket, value: Any) -> None:
    """Send one value. Raises OSError when the other side is gone, and what pickling raises for what cannot travel."""
    parcel = Parcel(value)
    try:
        parcel.send(channel)
    finally:
        parcel.close()


def receive(channel: socket.socket, *, is_shared: bool = False) -> Any:
    """Receive one value, waiting for it. Raises EOFError when the other side is gone.

    `is_shared`: arrays stay in the sender's memory file, copied page by page when written to; for large values that
    many receivers get.
    """
    try:
        message, files, _, _ = socket.recv_fds(channel, _ROOM, 1)
    except ConnectionError:
        message = b""
    if not message:
        raise EOFError
    kind, size, length = _HEAD.unpack_from(message)
    if kind == b"I":
        buffer = aligned(size + length)
        buffer[:] = np.frombuffer(message, np.uint8, offset=_HEAD.size)
    else:
        buffer = _taken(files[0], size + length, is_shared)
    _reading.buffer = buffer
    try:
        return ForkingPickler.loads(buffer[size:].data)
    finally:
        del _reading.buffer


def _taken(file: int, size: int, is_shared: bool) -> Buffer:
    try:
        if is_shared:
            return np.frombuffer(mmap.mmap(file, size, access=mmap.ACCESS_COPY), np.uint8)
        if size >= MAPPED_BYTES:
            return _mapped(file, size)
        buffer = aligned(size)
        _read_whole(file, buffer)
        return buffer
    finally:
        os.close(file)


def _mapped(file: int, size: int) -> Buffer:
    """Return the memory file itself as memory, which goes with the last array that stands in it.

    Not Python's mmap, which keeps a descriptor open for each (before 3.13): a thousand kept batches would use up all.
    """
    flags = mmap.MAP_SHARED | mmap.MAP_POPULATE
    address = _libc().mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, file, 0)
    if address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "a batch cannot be mapped into memory")
    memory = (ctypes.c_ubyte * size).from_address(address)
    weakref.finalize(memory, _libc().munmap, address, size).atexit = False
    return np.ctypeslib.as_array(memory)


@cache
def _libc() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    library.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return library


def aligned(size: int) -> Buffer:
    """Return `size` writable bytes that begin at a multiple of 64, as torch's own memory does."""
    raw = np.empty(size + ALIGNMENT, np.uint8)
    start = -raw.__array_interface__["data"][0] % ALIGNMENT
    return raw[start : start + size]


def _write_at(file: int, view: memoryview, offset: int) -> None:
    # One call moves at most 2 GiB.
    while len(view):
        written = os.pwrite(file, view, offset)
        view, offset = view[written:], offset + written


def _read_whole(file: int, buffer: Buffer) -> None:
    view, offset = memoryview(buffer), 0  # type: ignore[arg-type]
    while len(view):
        got = os.preadv(file, [view], offset)
        if not got:
            raise EOFError
        view, offset = view[got:], offset + got
