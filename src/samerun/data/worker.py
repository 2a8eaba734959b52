"""The other side of workers.py: the leader of a session prepares what data code needs, then forks the workers.

A session of its own means that a signal to the training's process group reaches nobody here. Workers end when their
channel closes, also in the middle of user code: the kernel closes it when the training process dies, however it dies.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import socket
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from multiprocessing import spawn
from typing import Any

from samerun.data import foreign, wire
from samerun.data.fetch import Entry
from samerun.data.forking import fork
from samerun.errors import UsageError

_M_TRIM_THRESHOLD = -1
_M_MMAP_MAX = -4


def lead(files: Sequence[int], control: socket.socket) -> None:
    """Lead a session: descriptors of the status channel, of the life line, and of one channel for each worker."""
    os.setsid()
    control.close()
    status_fd, life, *channel_fds = files
    status = socket.socket(fileno=status_fd)
    try:
        prepare(wire.receive(status))
    except EOFError:
        return
    except BaseException as error:  # noqa: BLE001 - a script that exits while it is imported is reported too
        wire.send(status, ("failed", _told(error)))
        return
    channels = [socket.socket(fileno=fd) for fd in channel_fds]
    gc.collect()
    gc.freeze()
    places = {fork(partial(_become, channels, place, status, life)): place for place in range(len(channels))}
    for channel in channels:
        channel.close()
    wire.send(status, ("ready", ""))
    _report_ends(status, places)


def _become(channels: list[socket.socket], place: int, status: socket.socket, life: int) -> None:
    for other, channel in enumerate(channels):
        if other != place:
            channel.close()
    status.close()
    keep_memory()
    threading.Thread(target=_end_with_parent, args=(life,), daemon=True).start()
    serve(channels[place])


def _end_with_parent(life: int) -> None:
    # Returns when nobody holds the other end any more: only the training process does.
    os.read(life, 1)
    os._exit(0)


def _report_ends(status: socket.socket, places: dict[int, int]) -> None:
    while places:
        pid, how = os.wait()
        place = places.pop(pid)
        code = os.waitstatus_to_exitcode(how)
        why = signal.Signals(-code).name if code < 0 else f"exit {code}"
        try:
            wire.send(status, ("ended", f"worker {place} (pid {pid}): {why}"))
        except OSError:
            return


def prepare(setup: dict[str, Any]) -> None:
    """Become like the training process in what data code can see: variables, import path, main module, torch."""
    os.environ.clear()
    os.environ.update(setup["environ"])
    for name in setup["imports"]:
        __import__(name)
    if setup["torch"]:
        foreign.apply_torch(setup["torch"])
    foreign.use_one_thread()
    spawn.prepare(setup["main"])


def keep_memory() -> None:
    """Let the C library keep what is freed: a worker makes batches of one size, and fresh pages cost a third of it."""
    library = ctypes.CDLL(None)
    with suppress(AttributeError):
        library.mallopt(_M_MMAP_MAX, 0)
        library.mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)


def serve(channel: socket.socket) -> None:
    """Answer requests in order until the channel closes. The first message is the fetcher."""
    foreign.use_one_thread()
    try:
        fetcher = _unpacked(channel)
        while True:
            request = wire.receive(channel)
            _reply(channel, fetcher if isinstance(fetcher, tuple) else _answer(fetcher, request))
    except (EOFError, OSError):
        return


def _unpacked(channel: socket.socket) -> Any:
    try:
        return wire.receive(channel, is_shared=True)
    except EOFError:
        raise
    except Exception as error:  # noqa: BLE001 - unpacking runs code of the user's classes
        return ("failed", _told(error))


def _told(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(error)).strip()


def _answer(fetcher: Any, request: Any) -> tuple[Any, ...]:
    try:
        with foreign.foreign(fetcher.draws_globally, "the data set or its transform"):
            return ("done", _portable_entries(fetcher.fetch(request)))
    except Exception as error:  # noqa: BLE001 - what user code raises is raised again in the training process
        return _raised(error)


def _portable_entries(fetched: Any) -> Any:
    if isinstance(fetched.batch, list) and fetched.batch and isinstance(fetched.batch[-1], Entry):
        last = fetched.batch[-1]
        if last.error is not None:
            fetched.batch[-1] = Entry(None, {}, _raised(last.error))
    return fetched


def _raised(error: Exception) -> tuple[Any, ...]:
    told = "".join(traceback.format_exception(error)).strip()
    return ("raised", _portable(error), (*getattr(error, "__notes__", ()), f"in a worker process:\n{told}"))


def _portable(error: Exception) -> Exception:
    """Return the exception as it can travel: itself, or a RuntimeError with its text where it cannot be rebuilt."""
    try:
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with here, there:
            wire.send(here, error)
            wire.receive(there)
    except Exception:  # noqa: BLE001 - its class cannot be packed, or cannot be called with its arguments
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _reply(channel: socket.socket, answer: tuple[Any, ...]) -> None:
    try:
        wire.send(channel, answer)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 - a batch that cannot be packed
        refusal = UsageError(
            "SR-DATA-006",
            "a batch cannot travel from a worker process",
            evidence=[_told(error)],
            do="return tensors, arrays, numbers, text, or objects of classes at module level; or set num_workers=0",
        )
        wire.send(channel, ("raised", refusal, ()))
