"""Threads of NumPy's own BLAS: `a @ b` in NumPy has other bits with 2 threads than with 1 (measured), so a tier that
fixes threads must reach this library too. Found as NumPy ships it (scipy-openblas in its wheel); no NumPy is loaded."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from pathlib import Path

_SUFFIXES = ("64_", "", "64")


@cache
def _openblas(numpy_folder: str) -> tuple[ctypes.CDLL, str] | None:
    """Return the OpenBLAS library in a NumPy wheel and how its names end, or None for another BLAS."""
    beside = Path(numpy_folder).with_name("numpy.libs")
    inside = Path(numpy_folder) / ".dylibs"
    for path in sorted([*beside.glob("*openblas*"), *inside.glob("*openblas*")]):
        try:
            library = ctypes.CDLL(str(path))
        except OSError:
            continue
        for suffix in _SUFFIXES:
            if hasattr(library, f"scipy_openblas_set_num_threads{suffix}"):
                return library, suffix
    return None


def _library() -> tuple[ctypes.CDLL, str] | None:
    numpy = sys.modules.get("numpy")
    return None if numpy is None or not numpy.__file__ else _openblas(str(Path(numpy.__file__).parent))


def set_numpy_threads(threads: int) -> bool:
    """Set how many threads NumPy's BLAS uses. False when NumPy is not loaded, or its BLAS is not the bundled one."""
    found = _library()
    if found is None:
        return False
    library, suffix = found
    getattr(library, f"scipy_openblas_set_num_threads{suffix}")(ctypes.c_int(threads))
    return True


def numpy_threads() -> int | None:
    """Return how many threads NumPy's BLAS uses now; None when that cannot be asked."""
    found = _library()
    if found is None:
        return None
    library, suffix = found
    return int(getattr(library, f"scipy_openblas_get_num_threads{suffix}")())
