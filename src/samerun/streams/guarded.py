"""What the guard replaces while it stands, and puts back: names in `random`, `numpy.random`, `os` and `uuid`.

Each replacement calls what it replaces with the same arguments and returns what that returns. torch's are in
guarded_torch.py; what a call means is decided in guard.py.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import get_ident
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from samerun.streams import guarded_torch
from samerun.streams.callsite import Site, calling_module, is_own_doing
from samerun.streams.guard import Guard, Library
from samerun.streams.replaced import Replaced

_guards: list[Guard] = []
_replaced = Replaced()
_STATE_METHODS = frozenset({"seed", "get_state", "set_state"})
_NUMPY_DRAWS = sorted(
    {name for name in dir(np.random.RandomState) if not name.startswith("_")} - _STATE_METHODS | {"ranf", "sample"}
)
_PYTHON_DRAWS = sorted({name for name in random.__all__ if name[0].islower()} - {"seed", "getstate", "setstate"})
_UNSEEDED_CLASSES = ("RandomState", "SeedSequence", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
_born: WeakKeyDictionary[random.Random, Site] = WeakKeyDictionary()


def standing() -> Guard | None:
    """Return the guard that stands in this process now."""
    return _guards[-1] if _guards else None


@contextmanager
def guarding(guard: Guard) -> Iterator[Guard]:
    """Let a guard stand for the length of a block."""
    raise_guard(guard)
    try:
        yield guard
    finally:
        lower_guard(guard)


def raise_guard(guard: Guard) -> None:
    """Let a guard stand: replace what it must hear of. A further one, or the same again, replaces what is new."""
    if not _guards:
        _replace_python()
        _replace_numpy()
        _replace_entropy()
        _replaced.put(threading.Thread, "start", _thread_start)
    if guard not in _guards:
        _guards.append(guard)
    guarded_torch.replace(_replaced, standing)


def lower_guard(guard: Guard) -> None:
    """End a guard; with the last one everything is put back. Does nothing for one that does not stand."""
    guarded_torch.unwatch()
    if guard in _guards:
        _guards.remove(guard)
    if not _guards:
        _replaced.undo()


def _draw(what: str, library: Library) -> Callable[[Any], Any]:
    def replace(original: Any) -> Any:
        @wraps(original)
        def drawing(*args: Any, **kwargs: Any) -> Any:
            if _guards:
                guard = _guards[-1]
                if (not guard.is_covered or get_ident() != guard.thread) and calling_module() != "samerun":
                    guard.drew(what, library)
            return original(*args, **kwargs)

        return drawing

    return replace


def _seed(what: str, library: Library) -> Callable[[Any], Any]:
    def replace(original: Any) -> Any:
        @wraps(original)
        def seeding(*args: Any, **kwargs: Any) -> Any:
            if _guards and calling_module() != "torch":
                _guards[-1].seeds(what, library, _first(args, kwargs))
            return original(*args, **kwargs)

        return seeding

    return replace


def _first(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args[0] if args else next(iter(kwargs.values()), None)


def _get_state(original: Any) -> Any:
    @wraps(original)
    def getting(*args: Any, **kwargs: Any) -> Any:
        state = original(*args, **kwargs)
        if _guards and _guards[-1].site() is not None:
            _guards[-1].captured.add(_hash(state))
        return state

    return getting


def _set_state(what: str, library: Library) -> Callable[[Any], Any]:
    def replace(original: Any) -> Any:
        @wraps(original)
        def setting(*args: Any, **kwargs: Any) -> Any:
            if _guards and calling_module() != "torch" and _guards[-1].site() is not None:
                _guards[-1].puts(what, library, _hash(_first(args, kwargs)))
            return original(*args, **kwargs)

        return setting

    return replace


def _hash(state: Any) -> int:
    """Return a number that two equal states of one generator share, in this process."""
    if isinstance(state, dict):
        return _hash(tuple(state[name] for name in sorted(state)))
    if isinstance(state, tuple):
        return hash(tuple(map(_hash, state))) if not all(isinstance(part, int) for part in state) else hash(state)
    return hash(state.tobytes()) if isinstance(state, np.ndarray) else hash(state)


def _replace_python() -> None:
    for name in _PYTHON_DRAWS:
        _replaced.wrap(random, name, _draw(f"random.{name}", "python"))
    _replaced.wrap(random, "seed", _seed("random.seed", "python"))
    _replaced.wrap(random, "getstate", _get_state)
    _replaced.wrap(random, "setstate", _set_state("random.setstate", "python"))
    _replaced.wrap(random.Random, "__init__", _random_init)


def _replace_numpy() -> None:
    for name in _NUMPY_DRAWS:
        if hasattr(np.random, name):
            _replaced.wrap(np.random, name, _draw(f"numpy.random.{name}", "numpy"))
    _replaced.wrap(np.random, "seed", _seed("numpy.random.seed", "numpy"))
    _replaced.wrap(np.random, "get_state", _get_state)
    _replaced.wrap(np.random, "set_state", _set_state("numpy.random.set_state", "numpy"))
    _replaced.wrap(np.random, "default_rng", _default_rng)
    for name in _UNSEEDED_CLASSES:
        _replaced.wrap(np.random, name, _stand_in)


def _replace_entropy() -> None:
    _replaced.wrap(os, "urandom", _noting("os.urandom"))
    _replaced.wrap(random, "_urandom", _system_bytes)
    for name in ("uuid1", "uuid4"):
        _replaced.wrap(uuid, name, _noting(f"uuid.{name}"))


def _noting(source: str) -> Callable[[Any], Any]:
    def replace(original: Any) -> Any:
        @wraps(original)
        def giving(*args: Any, **kwargs: Any) -> Any:
            value = original(*args, **kwargs)
            if _guards:
                _guards[-1].entropy.note(getattr(value, "bytes", value), source)
            return value

        return giving

    return replace


def _system_bytes(original: Any) -> Any:
    """Wrap what `random.SystemRandom` draws from. Numbers from `secrets` are a finding only where they are a seed."""

    @wraps(original)
    def giving(size: int) -> bytes:
        value: bytes = original(size)
        if _guards:
            _guards[-1].entropy.note(value, "the operating system")
            if not _is_of_secrets(sys._getframe(1)):
                _guards[-1].made("random.SystemRandom", None)
        return value

    return giving


def _is_of_secrets(frame: FrameType) -> bool:
    """Whether a draw of the system's is by the generator of `secrets`, which NumPy seeds itself from, too."""
    module = sys.modules.get("secrets")
    return module is not None and frame.f_locals.get("self") is vars(module)["_sysrand"]


class _Unseeded(random.Random):
    """A `random.Random` that was made without a seed and not used yet: the first draw is the finding."""

    __slots__ = ()

    def random(self) -> float:
        _first_draw(self)
        return random.Random.random(self)

    def getrandbits(self, k: int, /) -> int:
        _first_draw(self)
        return random.Random.getrandbits(self, k)

    def seed(self, a: Any = None, version: int = 2) -> None:
        if a is not None:
            _settle_class(self)
        random.Random.seed(self, a, version)

    def setstate(self, state: Any) -> None:
        _settle_class(self)
        random.Random.setstate(self, state)

    def __reduce__(self) -> Any:
        return random.Random, (), self.getstate()


def _settle_class(generator: random.Random) -> Site | None:
    """Make an unseeded generator an ordinary one again; return where it was made."""
    if type(generator) is _Unseeded:
        generator.__class__ = random.Random  # type: ignore[assignment]
    return _born.pop(generator, None)


def _first_draw(generator: random.Random) -> None:
    site = _settle_class(generator)
    if site is not None and _guards:
        _guards[-1].made(f"random.Random() of {site.file}:{site.line}", None)


def _random_init(original: Any) -> Any:
    @wraps(original)
    def init(self: random.Random, x: Any = None) -> None:
        original(self, x)
        if not _guards or type(self) is not random.Random:
            return
        if x is not None:
            _guards[-1].made("random.Random", x)
        elif (site := _guards[-1].site()) is not None:
            self.__class__ = _Unseeded
            _born[self] = site

    return init


def _default_rng(original: Any) -> Any:
    @wraps(original)
    def making(seed: Any = None) -> Any:
        if _guards:
            _guards[-1].made("numpy.random.default_rng", seed)
        return original(seed)

    return making


def _stand_in(original: Any) -> Any:
    """Return a class in place of one that a call without a seed would seed from the system: it makes the original's."""

    class Kind(type(original)):  # type: ignore[misc]
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if cls is not StandIn:
                return super().__call__(*args, **kwargs)
            if _guards:
                _guards[-1].made(f"numpy.random.{original.__name__}", _seed_argument(args, kwargs))
            return original(*args, **kwargs)

        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, original) if cls is StandIn else super().__instancecheck__(value)

        def __subclasscheck__(cls, kind: Any) -> bool:
            return issubclass(kind, original) if cls is StandIn else super().__subclasscheck__(kind)

    class StandIn(original, metaclass=Kind):  # type: ignore[misc]
        __doc__ = original.__doc__
        __module__ = original.__module__

    StandIn.__name__, StandIn.__qualname__ = original.__name__, original.__qualname__
    return StandIn


def _seed_argument(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = [*args[:1], *(kwargs.get(name) for name in ("seed", "entropy", "key"))]
    return next((value for value in given if value is not None), None)


def _thread_start(self: threading.Thread) -> None:
    if _guards and not is_own_doing():
        guarded_torch.watch_thread(self, standing)
    _replaced.original(threading.Thread, "start")(self)
