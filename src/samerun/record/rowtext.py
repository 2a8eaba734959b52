"""Canonical bytes of a row, fast: equal, byte for byte, to base.canon.canonical_bytes of the same mapping.

Rows of a log repeat their keys, so the sorted, quoted keys are kept per key set; numbers take Python's shortest form
and only its rare spellings are rewritten to those of RFC 8785 (section 3.2.2.3).
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any, Final

from samerun.base.canon import canonical_bytes

_EXACT: Final = 2**53


def row_bytes(row: Mapping[str, Any]) -> bytes:
    """Encode a row. Raises TypeError for a value JSON cannot hold, as canonical_bytes does."""
    return _mapping_text(row).encode("utf-8")


@lru_cache(maxsize=512)
def _plan(keys: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    for key in keys:
        if type(key) is not str:
            raise TypeError(f"a key of a row must be text, not {type(key).__name__}")
    ordered = sorted(keys, key=lambda key: key.encode("utf-16-be"))
    return tuple((key, encode_basestring(key) + ":") for key in ordered)


def _mapping_text(row: Mapping[str, Any]) -> str:
    pieces = []
    for key, prefix in _plan(tuple(row)):
        value = row[key]
        write = _WRITERS.get(type(value))
        pieces.append(prefix + (write(value) if write is not None else _other_text(value)))
    return "{" + ",".join(pieces) + "}"


def _float_text(value: float) -> str:
    text = repr(value)
    if text[-2:] == ".0":
        text = text[:-2]
        return "0" if text == "-0" else text
    if "n" in text:
        return _other_text(value)
    return _respelled(text) if "e" in text else text


def _respelled(text: str) -> str:
    # Python writes 1e-05, 1e-07, 1e+16; ECMAScript 0.00001, 1e-7, 10000000000000000.
    sign = "-" if text[0] == "-" else ""
    mantissa, _, exponent_text = text.removeprefix("-").partition("e")
    exponent = int(exponent_text)
    digits = mantissa.replace(".", "")
    if exponent in (-5, -6):
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    if 16 <= exponent <= 20:
        return sign + digits + "0" * (exponent + 1 - len(digits))
    return f"{sign}{mantissa}e{exponent:+d}"


def _int_text(value: int) -> str:
    return str(value) if -_EXACT < value < _EXACT else _other_text(value)


def _bool_text(value: bool) -> str:
    return "true" if value else "false"


def _sequence_text(values: list[Any] | tuple[Any, ...]) -> str:
    pieces = []
    for value in values:
        write = _WRITERS.get(type(value))
        pieces.append(write(value) if write is not None else _other_text(value))
    return "[" + ",".join(pieces) + "]"


def _other_text(value: Any) -> str:
    return canonical_bytes(value).decode("utf-8")


_WRITERS: Final[dict[type, Callable[[Any], str]]] = {
    float: _float_text,
    int: _int_text,
    str: encode_basestring,
    bool: _bool_text,
    type(None): lambda _: "null",
    dict: _mapping_text,
    list: _sequence_text,
    tuple: _sequence_text,
}
