"""Threads of NumPy's own BLAS: `a @ b` in NumPy has other bits with 2 threads than with 1 (measured), so a tier that
fixes threads must reach this library too. Found as NumPy ships it (scipy-openblas in its wheel); no NumPy is loaded."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

_SUFFIXES = ("64_", "", "64")
_Functions = tuple[Callable[[int], None], Callable[[], int]]


@cache
def _openblas(numpy_file: str) -> _Functions | None:
    """Return set and get of the OpenBLAS library in a NumPy wheel, or None for another BLAS."""
    folder = Path(numpy_file).parent
    for path in sorted([*folder.with_name("numpy.libs").glob("*openblas*"), *(folder / ".dylibs").glob("*openblas*")]):
        try:
            library = ctypes.CDLL(str(path))
        except OSError:
            continue
        for suffix in _SUFFIXES:
            if hasattr(library, f"scipy_openblas_set_num_threads{suffix}"):
                change = getattr(library, f"scipy_openblas_set_num_threads{suffix}")
                change.argtypes, change.restype = [ctypes.c_int], None
                ask = getattr(library, f"scipy_openblas_get_num_threads{suffix}")
                ask.argtypes, ask.restype = [], ctypes.c_int
                return change, ask
    return None


def _functions() -> _Functions | None:
    numpy = sys.modules.get("numpy")
    return None if numpy is None or numpy.__file__ is None else _openblas(numpy.__file__)


def set_numpy_threads(threads: int) -> bool:
    """Set how many threads NumPy's BLAS uses. False when NumPy is not loaded, or its BLAS is not the bundled one."""
    found = _functions()
    if found is None:
        return False
    found[0](threads)
    return True


def numpy_threads() -> int | None:
    """Return how many threads NumPy's BLAS uses now; None when that cannot be asked."""
    found = _functions()
    return None if found is None else found[1]()
