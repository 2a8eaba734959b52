"""The global generators of Python, NumPy, torch and CUDA, set from a named stream: third-party draws get an address.

`set_globals` makes them a function of (seed, name); `scope` puts them back afterwards, also on an exception. torch is
touched only when somebody else has imported it. States as JSON are in portable.py.
"""

from __future__ import annotations

import random
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import xxhash

from samerun.streams import legacy
from samerun.streams.generators import HALF, MT_WORDS, TORCH_WORDS_AT, mt_words, torch_cpu_state
from samerun.streams.named import Stream

if TYPE_CHECKING:
    import torch
    from torch import Tensor

Name = Literal["python", "numpy", "torch", "cuda"]
# The words of an ambient stream. Frozen: two for Python's seed, one for CUDA, then whole states for NumPy and torch.
_CUDA_AT = 2
_NUMPY_AT = 3
_TORCH_AT = _NUMPY_AT + HALF
_END = _TORCH_AT + HALF
# What torch starts a CPU generator with when nobody seeds it (c10::detail::getNonDeterministicRandom is not used).
_TORCH_DEFAULT_SEED = 67280421310721


class _Torch:
    """What is needed of torch, looked up once, after somebody has imported it."""

    def __init__(self, module: Any) -> None:
        self.generator: torch.Generator = module.default_generator
        self.cuda: Any = module.cuda
        self._buffer = torch_cpu_state(np.zeros(MT_WORDS, np.uint32))
        self._tensor: torch.Tensor = module.from_numpy(self._buffer)
        self._words = self._buffer[TORCH_WORDS_AT : TORCH_WORDS_AT + 8 * MT_WORDS].view("<u8")
        self.cuda_seed: int | None = None
        if module.backends.cuda.is_built() and not self.cuda.is_initialized():
            # CUDA generators do not exist yet: when they do, they begin as the scope that is then in force says. This
            # takes the place of a `torch.manual_seed` that came before, as torch's own `manual_seed_all` would.
            self.cuda._lazy_call(self._seed_late, seed_all=True)

    def set(self, words: Any, cuda_seed: int) -> None:
        self._words[:] = words
        self.generator.set_state(self._tensor)
        self.cuda_seed = cuda_seed
        if self.cuda.is_initialized():
            self.seed_cuda()

    def seed_cuda(self) -> None:
        for generator in self.cuda.default_generators:
            generator.manual_seed(self.cuda_seed)

    def _seed_late(self) -> None:
        if self.cuda_seed is not None:
            self.seed_cuda()


_torch: _Torch | None = None
_scopes = 0


def _loaded_torch() -> _Torch | None:
    global _torch
    if _torch is None:
        module = sys.modules.get("torch")
        # While `import torch` is still under way the module is there, but not yet its generator.
        if module is not None and "default_generator" in module.__dict__ and "cuda" in module.__dict__:
            _torch = _Torch(module)
    return _torch


def set_globals(stream: Stream) -> None:
    """Set Python's, NumPy's, torch's and (where initialised) all CUDA devices' global generators from a stream.

    A pure function of the stream, apart from its other draws: neither moves nor counts it. The torch CPU generator gets
    all its 624 words.
    """
    words = stream.words(_END, "global")
    # samerun: allow[SR101] the one place where a run sets this generator, from a stream
    random.seed(int.from_bytes(words[:_CUDA_AT].tobytes(), "little"))
    legacy.write(mt_words(words[_NUMPY_AT:_TORCH_AT]))
    held = _torch or _loaded_torch()
    if held is not None:
        held.set(mt_words(words[_TORCH_AT:]), int(words[_CUDA_AT]))


@dataclass(frozen=True)
class Globals:
    """The state of all global generators of this process at one moment."""

    python: tuple[Any, ...]
    numpy: tuple[legacy.Cells, float | None]
    torch: Tensor | None
    """None when torch was not imported."""
    cuda: tuple[Tensor, ...] | None
    """One state a device; None when CUDA was not initialised."""
    cuda_seed: int | None


def capture() -> Globals:
    """Return the state of all global generators; they stay as they are."""
    held = _torch or _loaded_torch()
    if held is None:
        return Globals(random.getstate(), legacy.read(), None, None, None)
    cuda = None
    if held.cuda.is_initialized():
        cuda = tuple(generator.get_state() for generator in held.cuda.default_generators)
    return Globals(random.getstate(), legacy.read(), held.generator.get_state(), cuda, held.cuda_seed)


def moved(before: Globals, after: Globals) -> set[Name]:
    """Name the global generators that were there before and stand elsewhere now."""
    found: set[Name] = set()
    if _twister(before.python[1]) != _twister(after.python[1]) or before.python[2] != after.python[2]:
        found.add("python")
    if _twister(before.numpy[0]) != _twister(after.numpy[0]) or before.numpy[1] != after.numpy[1]:
        found.add("numpy")
    if before.torch is not None and (after.torch is None or not before.torch.equal(after.torch)):
        found.add("torch")
    if before.cuda is not None and (after.cuda is None or not all(map(_are_equal, before.cuda, after.cuda))):
        found.add("cuda")
    return found


def _twister(words: Any) -> tuple[int, ...]:
    # A draw moves the place (the last number of a state) or renews all words; a seed changes all but perhaps the first,
    # which is a constant after some. Three numbers tell as much as 625.
    return int(words[0]), int(words[1]), int(words[-1])


def _are_equal(a: Tensor, b: Tensor) -> bool:
    return bool(a.equal(b))


def put_back(state: Globals) -> None:
    """Put all global generators back to a captured state.

    What was not there at the capture (torch, CUDA) begins as if it had been imported, or initialised, just now.
    """
    random.setstate(state.python)
    legacy.write_back(*state.numpy)
    held = _torch or _loaded_torch()
    if held is None:
        return
    if state.torch is None:
        held.generator.manual_seed(_TORCH_DEFAULT_SEED)
    else:
        held.generator.set_state(state.torch)
    held.cuda_seed = state.cuda_seed
    if not held.cuda.is_initialized():
        return
    if state.cuda is not None:
        for generator, saved in zip(held.cuda.default_generators, state.cuda, strict=True):
            generator.set_state(saved)
    elif held.cuda_seed is not None:
        held.seed_cuda()


@contextmanager
def scope(stream: Stream) -> Iterator[None]:
    """Run a block with the global generators set from a stream, and put them back afterwards, whatever happens."""
    before = capture()
    try:
        with addressed():
            set_globals(stream)
            yield
    finally:
        put_back(before)


@contextmanager
def addressed() -> Iterator[None]:
    """Say that what is drawn in a block has an address, and that the one who says so puts the generators back."""
    global _scopes
    _scopes += 1
    try:
        yield
    finally:
        _scopes -= 1


def is_in_scope() -> bool:
    """Whether what is drawn now has an address, and is put back."""
    return _scopes > 0


def fingerprint() -> str:
    """Return where each global generator stands: 16 hex digits each for Python, NumPy, torch and CUDA, with dots.

    Draws once more from Python's and NumPy's, so it belongs where the next step sets them anyway. Numbers kept from
    the last pair of normals are in it. A generator that is not there gives "-".
    """
    kept = struct.pack("<d", getattr(random, "_inst").gauss_next or 0.0)  # noqa: B009 - not in the stubs
    python = random.getrandbits(64) ^ int.from_bytes(kept, "little")
    raw = legacy.word()
    numpy = int.from_bytes(struct.pack("<d", np.random.standard_normal()), "little") ^ (raw << 32)
    held = _torch or _loaded_torch()
    if held is None:
        return f"{python:016x}.{numpy & (2**64 - 1):016x}.-.-"
    torch = xxhash.xxh3_64_hexdigest(memoryview(held.generator.get_state().numpy()))  # type: ignore[arg-type]
    cuda = "-"
    if held.cuda.is_initialized():
        places = ((generator.initial_seed(), generator.get_offset()) for generator in held.cuda.default_generators)
        cuda = xxhash.xxh3_64_hexdigest(repr(tuple(places)).encode("ascii"))
    return f"{python:016x}.{numpy & (2**64 - 1):016x}.{torch}.{cuda}"
