"""Names of streams as bytes: each part is typed and length-prefixed, so two different names never meet.

`("a/b",)`, `("a", "b")`, `(1,)` and `("1",)` are four names. The encoding is frozen for ever: keys are derived from
these bytes (derive.py), and `tests/streams/vectors.json` pins them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from operator import index

from samerun.errors import UsageError

Part = str | int

_TEXT, _INTEGER, _CHILD, _GENERATOR = b"s", b"i", b"c", b"g"
_HEAD_BYTES = 5
_INTEGER_HEADS = tuple(_INTEGER + size.to_bytes(4, "big") for size in range(64))
_PLAIN_MARKS = frozenset("-_.+:=@ ")

CHILD_MARK = _CHILD + bytes(4)
"""Stands between the name of a stream and the parts of its child: no child has the name of another stream."""


def encode_part(part: Part) -> bytes:
    """Return tag, length (4 bytes, big-endian) and content: UTF-8 of a text, decimal digits of an integer.

    NumPy integers count as integers. A boolean, a float and anything else raise UsageError (SR-STREAM-004).
    """
    kind = type(part)
    if kind is int:
        digits = b"%d" % part  # type: ignore[str-format]
        size = len(digits)
        return (_INTEGER_HEADS[size] if size < 64 else _INTEGER + size.to_bytes(4, "big")) + digits
    if kind is str:
        return _tagged(_TEXT, part)  # type: ignore[arg-type]
    return encode_part(_plain(part))


def _tagged(tag: bytes, text: str) -> bytes:
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        raise _refused(text, "it holds a lone surrogate") from None
    return tag + len(content).to_bytes(4, "big") + content


def _plain(part: object) -> Part:
    if isinstance(part, str):
        return str.__str__(part)
    # bool and np.bool_ are integers to Python, and nearly always a mistake in a name.
    if not isinstance(part, bool) and "bool" not in type(part).__name__:
        try:
            return int(index(part))  # type: ignore[arg-type]
        except TypeError:
            pass
    raise _refused(part, f"it is {type(part).__name__}")


def _refused(part: object, why: str) -> UsageError:
    return UsageError(
        "SR-STREAM-004",
        f"{part!r} cannot be a part of a stream's name",
        evidence=[why],
        do="name streams with text and integers, for instance stream('augment', epoch=3)",
    )


def encode_name(parts: Iterable[Part]) -> bytes:
    """Return the bytes of a whole name: the bytes of its parts, one after the other."""
    return b"".join(map(encode_part, parts))


@lru_cache(maxsize=16)
def encode_generator(kind: str) -> bytes:
    """Return what is added to a name for the generator of one kind, whose numbers are apart from the frozen draws."""
    return _tagged(_GENERATOR, kind)


def with_keywords(parts: Iterable[Part], keywords: Mapping[str, Part]) -> tuple[Part, ...]:
    """Return the parts, then each keyword as (name, value), sorted by name."""
    return (*parts, *(item for key in sorted(keywords) for item in (key, keywords[key])))


def readable_name(name: bytes) -> str:
    """Return a name for people, such as `data/order/epoch/3`; text that could be misread stands in quotes."""
    return "/".join(_readable_parts(name))


def _readable_parts(name: bytes) -> Iterator[str]:
    at = 0
    while at < len(name):
        tag, end = name[at : at + 1], at + _HEAD_BYTES + int.from_bytes(name[at + 1 : at + _HEAD_BYTES], "big")
        content = name[at + _HEAD_BYTES : end].decode("utf-8")
        at = end
        if tag == _CHILD:
            yield "child"
        else:
            yield content if tag == _INTEGER or _is_plain(content) else json.dumps(content, ensure_ascii=False)


def _is_plain(text: str) -> bool:
    return bool(text) and not text.lstrip("-").isdigit() and all(c.isalnum() or c in _PLAIN_MARKS for c in text)
