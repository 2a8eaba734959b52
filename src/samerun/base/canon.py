"""Canonical JSON (RFC 8785) and its strict reader: one value has one spelling, so bytes can be compared and hashed.

JSON has no NaN and no integer beyond 2^53: non-finite numbers are written as the texts "NaN", "Infinity", "-Infinity",
larger integers as decimal text. -0.0 is written 0 (RFC 8785, 3.2.2.3): whoever needs its sign hashes bits, not JSON.
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any, NoReturn

import rfc8785

from samerun.errors import DamageError

_quote = json.encoder.encode_basestring

SAFE_INTEGER = 2**53 - 1
DEPTH_LIMIT = 200


def canonical_bytes(value: object) -> bytes:
    """Return the RFC 8785 bytes of a tree of dicts with text keys, lists, tuples, text, numbers, booleans and None.

    NumPy scalars count as the number they hold. Anything else raises TypeError naming its path in the tree.
    """
    try:
        return _spell(value).encode("utf-8")
    except (TypeError, UnicodeEncodeError, RecursionError):
        return rfc8785.dumps(_plain(value, "$", 0))


def _spell(value: object) -> str:
    """Spell plain values four times faster than rfc8785 does (a row of a log at every step); tests hold them equal."""
    kind = type(value)
    if kind is str:
        return _quote(value)  # type: ignore[arg-type]
    if kind is float:
        return _spell_float(value)  # type: ignore[arg-type]
    if kind is int:
        return str(value) if -SAFE_INTEGER <= value <= SAFE_INTEGER else f'"{value}"'  # type: ignore[operator]
    if kind is dict:
        keys = sorted(value)  # type: ignore[call-overload]
        if not "".join(keys).isascii():
            keys.sort(key=_utf16)
        return "{" + ",".join([f"{_quote(key)}:{_spell(value[key])}" for key in keys]) + "}"  # type: ignore[index]
    if kind is list or kind is tuple:
        return "[" + ",".join([_spell(item) for item in value]) + "]"  # type: ignore[attr-defined]
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    raise TypeError("not a plain value")


def _utf16(key: str) -> bytes:
    return key.encode("utf-16be")


def _spell_float(value: float) -> str:
    text = repr(value)
    if "e" in text or "n" in text or value == 0:
        return str(rfc8785.dumps(value), "ascii") if math.isfinite(value) else f'"{_non_finite(value)}"'
    return text.removesuffix(".0")


def _plain(value: object, path: str, depth: int) -> Any:
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is int:
        return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)  # type: ignore[operator]
    if kind is float:
        return value if math.isfinite(value) else _non_finite(value)  # type: ignore[arg-type]
    if kind is str:
        return _text(value, path)  # type: ignore[arg-type]
    if depth > DEPTH_LIMIT:
        raise TypeError(f"{path}: nested deeper than {DEPTH_LIMIT} levels")
    if isinstance(value, dict):
        return {_key(key, path): _plain(item, f"{path}.{key}", depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
    return _plain(_scalar(value, path), path, depth)


def _scalar(value: object, path: str) -> bool | int | float | str:
    # Subclasses (StrEnum, IntEnum, np.float64) are taken as the plain value they are.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, (numpy.bool_, numpy.integer, numpy.floating)):
        item = value.item()
        return item if isinstance(item, (bool, int, float)) else float(item)
    raise TypeError(f"{path}: {type(value).__module__}.{type(value).__qualname__} has no place in JSON")


def _key(key: object, path: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{path}: key {key!r} is {type(key).__name__}; JSON keys are text")
    return _text(str.__str__(key), path)


def _text(value: str, path: str) -> str:
    if value.isascii():
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise TypeError(f"{path}: {value!r} holds a lone surrogate, which UTF-8 cannot say") from None
    return value


def _non_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def parse_json(data: bytes, where: str) -> Any:
    """Read strict JSON that was written by us; `where` names the file in the error.

    Duplicate keys, NaN literals, a byte order mark, bytes that are not UTF-8 and lone surrogates raise DamageError
    (SR-DAMAGE-001). A whole number beyond 2^53 is a double to RFC 8785 and is read as one.
    """
    try:
        text = data.decode("utf-8")
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_integer, parse_float=_finite
        )
        if "\\u" in text:
            _plain(value, "$", 0)
    except RecursionError:
        raise _damaged(where, "it is nested too deeply") from None
    except (ValueError, TypeError) as problem:
        raise _damaged(where, str(problem)) from None
    return value


def _damaged(where: str, why: str) -> DamageError:
    return DamageError(
        "SR-DAMAGE-001",
        f"{where} is not the JSON that was written",
        evidence=[why],
        do="restore this file from a copy; `samerun verify RUN --files` lists all damage",
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"key {key!r} stands twice")
            seen.add(key)
    return result


def _no_constant(literal: str) -> NoReturn:
    raise ValueError(f"{literal} is not JSON")


def _integer(text: str) -> int | float:
    if len(text) > 17:
        return _finite(text)
    value = int(text)
    return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else float(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is beyond a double")
    return value
