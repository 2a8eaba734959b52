"""Saving without waiting: the state is copied to host memory, and a thread writes it while training goes on.

One save is under way at most. An error it meets is raised by the next `save` or by `join`, never swallowed; a stop
joins. What is written, and that it is whole or absent, is write.py's work.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from samerun.checkpoint.index import CheckpointInfo
from samerun.checkpoint.write import write_checkpoint
from samerun.state.packed import Packed
from samerun.state.tree import host_copy


class Saver:
    """Writes the checkpoints of one folder, in the foreground or behind it. For one thread's use."""

    def __init__(self, folder: Path, *, is_asynchronous: bool = False) -> None:
        self.folder = folder
        self.is_asynchronous = is_asynchronous
        self.last: CheckpointInfo | None = None
        """The newest checkpoint that is on disk, of those saved here."""
        self._thread: threading.Thread | None = None
        self._problem: BaseException | None = None
        self._copies: dict[str, Packed] = {}

    def save(
        self,
        step: int,
        components: Mapping[str, Packed],
        *,
        identity: str,
        logs: Mapping[str, Any] | None = None,
        extra: Any = None,
        chunks: Mapping[str, Sequence[str]] | None = None,
        after: Callable[[], object] | None = None,
    ) -> None:
        """Write a checkpoint as `write_checkpoint` does, then call `after` (retention).

        Asynchronous: returns once the tensors are copied; waits first for a save still under way. Errors of both the
        write and `after` are raised here (synchronous), or by the next `save` or `join`.
        """
        self.join()

        def work(held: Mapping[str, Packed]) -> None:
            self.last = write_checkpoint(
                self.folder, step, held, identity=identity, logs=logs, extra=extra, chunks=chunks
            )
            if after is not None:
                after()

        if not self.is_asynchronous:
            work(components)
            return
        self._copies = copied = {
            name: host_copy(packed, self._copies[name].tensors if name in self._copies else None)
            for name, packed in components.items()
        }
        self._thread = threading.Thread(target=self._guarded, args=(work, copied), name=f"samerun-save-{step}")
        self._thread.start()

    def _guarded(self, work: Callable[[Mapping[str, Packed]], None], held: Mapping[str, Packed]) -> None:
        try:
            work(held)
        except BaseException as problem:  # noqa: BLE001  # kept, and raised by the thread that trains
            self._problem = problem

    def join(self) -> None:
        """Wait for the save under way; raise the error that it met, once."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        problem, self._problem = self._problem, None
        if problem is not None:
            raise problem
