"""Values as tokens: equal in two processes exactly where the values are equal, whatever the hash seed or the address.

Only exact, known types are read; nothing of the user's is called, neither `repr` nor `__eq__` nor a property. A value
that is no plain one has no token here: walker.py takes it apart.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import pathlib
import sys
import uuid
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import numpy as np

from samerun.base.digest import xxh3
from samerun.errors import SamerunError
from samerun.state.digest import digest_tensor, digest_tree
from samerun.streams.portable import generator_state, is_generator

Token = tuple[str, str]
"""The token, and the value for people."""
CONTAINERS = (list, tuple, set, frozenset, dict, deque, OrderedDict, defaultdict, Counter)
MUTABLE = frozenset(CONTAINERS) - {tuple, frozenset}
LARGEST_BYTES = 256 << 20
"""Larger tensors and arrays are not read at every step."""
_PLAIN = frozenset(
    {type(None), bool, int, float, complex, str, bytes, range, slice, type(...)}
    | {datetime.date, datetime.datetime, datetime.timedelta, decimal.Decimal, fractions.Fraction, uuid.UUID}
    | {pathlib.PosixPath, pathlib.WindowsPath, pathlib.PurePosixPath}
)
_TORCH_PLAIN = ("dtype", "device", "layout", "memory_format")
_SHOWN = 48
_MOST_ITEMS = 1_000_000
_DEEPEST = 8


class Unreadable(Exception):
    """A value that cannot be turned into a token; the text says why."""


def plain_token(value: object) -> Token | None:
    """Return the token of a number, a text or the like, and of containers of nothing else; None for all others."""
    spelled = _spelled(value, _DEEPEST)
    if spelled is None:
        return None
    token = spelled if len(spelled) < 200 else xxh3(spelled.encode("utf-8", "backslashreplace"))
    return token, _short(value)


def _spelled(value: object, depth: int) -> str | None:
    kind = type(value)
    if kind in _PLAIN or issubclass(kind, np.generic) or _is_torch_plain(kind):
        return f"{kind.__name__} {value!r}"
    if issubclass(kind, Enum):
        return f"{kind.__name__}.{value._name_}"  # type: ignore[attr-defined]
    if kind not in CONTAINERS or depth == 0 or len(value) > _MOST_ITEMS:  # type: ignore[arg-type]
        return None
    if issubclass(kind, dict):
        pairs = [(_spelled(key, 0), _spelled(item, depth - 1)) for key, item in value.items()]  # type: ignore[attr-defined]
        return None if any(None in pair for pair in pairs) else f"{kind.__name__} {pairs!r}"
    items = [_spelled(item, depth - 1) for item in value]  # type: ignore[attr-defined]
    if None in items:
        return None
    return f"{kind.__name__} {sorted(map(str, items)) if kind in (set, frozenset) else items!r}"


def _is_torch_plain(kind: type) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and any(kind is getattr(torch, name) for name in _TORCH_PLAIN)


def _short(value: Any) -> str:
    if type(value) in CONTAINERS:
        text = repr(value)
        return text if len(text) <= _SHOWN else f"{len(value)} items"
    text = repr(value.item()) if issubclass(type(value), np.generic) else repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def data_token(value: Any) -> Token | None:
    """Return the token of a tensor, an array or a generator; None for anything else. Raises Unreadable."""
    torch = sys.modules.get("torch")
    if issubclass(type(value), np.ndarray):
        return _array_token(value)
    if torch is not None and issubclass(type(value), torch.Tensor):
        return _tensor_token(value)
    if is_generator(value):
        token = xxh3(repr(generator_state(value)).encode())
        return token, f"position {token[5:13]}"
    return None


def _array_token(value: Any) -> Token:
    if issubclass(type(value), np.memmap):
        raise Unreadable("the memory of a file")
    return _digested(value, lambda: digest_tree(np.asarray(value)), str(value.dtype), value.size)


def _tensor_token(value: Any) -> Token:
    dtype = str(value.dtype).removeprefix("torch.")
    return _digested(value, lambda: digest_tensor(value.detach()), dtype, value.numel())


def _digested(value: Any, digest: Callable[[], str], dtype: str, size: int) -> Token:
    try:
        if value.nbytes > LARGEST_BYTES:
            raise Unreadable(f"it is larger than {LARGEST_BYTES >> 20} MiB")
        token = digest()
        shown = repr(value.item()) if size == 1 else f"{dtype}{list(value.shape)} {token[5:13]}"
    except (SamerunError, RuntimeError, NotImplementedError, TypeError, KeyError) as problem:
        raise Unreadable(f"{type(problem).__name__}: {str(problem)[:80]}") from None
    return token, shown


def builtin_length(container: Any) -> int:
    """Return the length of a container, also of a subclass, without calling its own `__len__`."""
    return int(_builtin(container).__len__(container))


def items_of(container: Any) -> Iterator[tuple[object, object]]:
    """Yield key (or number) and item of a container, also of a subclass, by the way of the built-in class."""
    base = _builtin(container)
    if issubclass(base, dict):
        yield from dict.items(container)
        return
    # The order of a set is another one in each process: of one that holds more than plain values, the length counts.
    yield from () if base in (set, frozenset) else enumerate(base.__iter__(container))


def _builtin(container: object) -> Any:
    return next(base for base in (list, tuple, set, frozenset, dict, deque) if issubclass(type(container), base))
