"""A place for code that is not ours (data sets, transforms, collate functions): it leaves no trace in this process.

The global generators are put back; threads are one, as in a worker, since sums and products have other bits with
another number; code that declared that it draws from no global generator and does is found out, wherever it runs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from samerun.errors import UsageError
from samerun.streams import ambient
from samerun.tiers.blas import numpy_threads, set_numpy_threads
from samerun.tiers.strict import set_strictness, strictness


@contextmanager
def foreign(draws_globally: bool, what: str) -> Iterator[None]:
    """Run a block of foreign code. Raises UsageError SR-DATA-004 when it drew although it declared that it does not."""
    before = ambient.capture()
    is_sure = False
    try:
        with one_thread(), ambient.addressed():
            yield
        if not draws_globally:
            is_sure = not ambient.moved(before, ambient.capture())
            if not is_sure:
                raise UsageError(
                    "SR-DATA-004",
                    f"{what} drew from a global generator, and declares that it does not",
                    evidence=["declared: draws none or stream; the draw would depend on which process runs it"],
                    do='declare draws="global", or draw from the stream that is handed over with draws="stream"',
                )
    finally:
        if not is_sure:
            ambient.put_back(before)


@contextmanager
def one_thread() -> Iterator[None]:
    """Run a block with one thread in torch and in NumPy's BLAS."""
    torch = sys.modules.get("torch")
    threads = torch.get_num_threads() if torch is not None else 1
    blas_threads = numpy_threads() or 1
    try:
        if torch is not None and threads != 1:
            torch.set_num_threads(1)
        if blas_threads != 1:
            set_numpy_threads(1)
        yield
    finally:
        if torch is not None and threads != 1:
            torch.set_num_threads(threads)
        if blas_threads != 1:
            set_numpy_threads(blas_threads)


def use_one_thread() -> None:
    """Use one thread in torch and in NumPy's BLAS from now on (in a worker)."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
    set_numpy_threads(1)


def torch_settings() -> dict[str, Any]:
    """Return what data code computes with: settings of torch that are global to a process. {} without torch."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return {}
    return {
        "dtype": str(torch.get_default_dtype()),
        "strictness": strictness(),
        "fill": bool(torch.utils.deterministic.fill_uninitialized_memory),
        "precision": torch.get_float32_matmul_precision(),
        "onednn": bool(torch.backends.mkldnn.deterministic),
    }


def apply_torch(settings: dict[str, Any]) -> None:
    """Apply what `torch_settings` returned elsewhere."""
    import torch

    backends: Any = torch.backends
    torch.set_default_dtype(getattr(torch, settings["dtype"].removeprefix("torch.")))
    set_strictness(settings["strictness"])
    torch.utils.deterministic.fill_uninitialized_memory = settings["fill"]  # type: ignore[attr-defined]
    torch.set_float32_matmul_precision(settings["precision"])
    backends.mkldnn.deterministic = settings["onednn"]
