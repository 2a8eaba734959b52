"""NumPy's global generator, read and written at memory speed: its own `get_state` and `set_state` take 33 us each.

The words are reached through the address that the bit generator publishes (`BitGenerator.ctypes`). The layout is
compared with `BitGenerator.state` before it is used; elsewhere the slow
public way is taken, with equal results.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samerun.errors import UsageError

MT_WORDS = 624
# Taken once: the guard (guarded.py) puts another class under this name for a while.
_TWISTER = np.random.MT19937
Cells = NDArray[np.uint32]
"""624 words, then the place of the next one."""

_view: Cells | None = None
_viewed: Any = None


def _bit_generator() -> Any:
    return np.random.get_bit_generator()  # type: ignore[attr-defined]  # public, missing in the stubs


def word() -> int:
    """Draw 32 bits."""
    return int(_bit_generator().random_raw())


def _cells() -> Cells | None:
    """Return the live memory of the global generator, or None where its layout is not the known one."""
    global _view, _viewed
    bits = _bit_generator()
    if bits is not _viewed:
        _view, _viewed = _map(bits), bits
    return _view


def _map(bits: Any) -> Cells | None:
    if type(bits) is not _TWISTER:
        raise UsageError(
            "SR-STREAM-007",
            f"NumPy's global generator is a {type(bits).__name__}, not a Mersenne Twister",
            evidence=["somebody called numpy.random.set_bit_generator"],
            do="leave the global generator as NumPy made it; take stream(...).numpy() for another kind",
        )
    known = bits.state["state"]
    memory = (ctypes.c_uint32 * (MT_WORDS + 1)).from_address(bits.ctypes.state_address)
    view = np.frombuffer(memoryview(memory), np.uint32)
    return view if (view[:MT_WORDS] == known["key"]).all() and view[MT_WORDS] == known["pos"] else None


def _take_cached_normal(cells: Cells) -> float | None:
    """Return the normal number kept from the last pair, if there is one; there is none afterwards.

    Whether there was one shows in the place: a fresh pair uses words. The caller writes the words anew.
    """
    before = cells[MT_WORDS]
    value = float(np.random.standard_normal())
    if cells[MT_WORDS] == before:
        return value
    np.random.standard_normal()
    return None


def write(words: Cells) -> None:
    """Set the global generator to 624 words, all still to be used."""
    cells = _cells()
    if cells is None:
        np.random.set_state(("MT19937", words, MT_WORDS, 0, 0.0))
        return
    _take_cached_normal(cells)
    cells[:MT_WORDS] = words
    cells[MT_WORDS] = MT_WORDS


def read() -> tuple[Cells, float | None]:
    """Return the words and the place, and the normal number kept from the last pair; the generator stays as it was."""
    cells = _cells()
    if cells is None:
        state: dict[str, Any] = np.random.get_state(legacy=False)
        known = state["state"]
        saved = np.append(known["key"], np.uint32(known["pos"])).astype(np.uint32)
        return saved, float(state["gauss"]) if state["has_gauss"] else None
    saved = cells.copy()
    normal = _take_cached_normal(cells)
    write_back(saved, normal)
    return saved, normal


def write_back(saved: Cells, normal: float | None) -> None:
    """Put back what `read` returned."""
    cells = _cells()
    if cells is None or normal is not None:
        np.random.set_state(("MT19937", saved[:MT_WORDS], int(saved[MT_WORDS]), int(normal is not None), normal or 0.0))
        return
    _take_cached_normal(cells)
    cells[:] = saved
