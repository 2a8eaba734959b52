"""The closed list of plain values a state may hold, each with one exact JSON spelling.

A node of the structure is null, true, false, a whole number up to 2^53, text, a list, or an object with exactly one
key: its tag. So 1, "1", True, 1.0, -0.0, every NaN payload, list and tuple all stay apart. Tensors live in tensors.py
and arrays.py, the walk over a tree in tree.py.
"""

from __future__ import annotations

import base64
import struct
from typing import Any, NoReturn

from samerun.errors import DamageError, UsageError

JSON = Any
SAFE_INTEGER = 2**53 - 1
LONG_BYTES = 1024
"""Bytes of this length or more are stored beside the tensors, shorter ones as base64 in the structure."""


def encode_int(value: int) -> JSON:
    """Spell a whole number of any size; beyond 2^53 in hexadecimal, which Python reads at any length."""
    return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else {"int": hex(value)}


def encode_float(value: float) -> JSON:
    """Spell a double exactly: shortest decimal, `inf`, or `nan:` and its 64 bits in hexadecimal."""
    if value != value:
        return {"float": f"nan:{struct.pack('>d', value).hex()}"}
    return {"float": repr(value)}


def encode_text(value: str) -> JSON:
    """Spell text; one with lone surrogates (a file name that is not UTF-8) as the hexadecimal of its bytes."""
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return {"text": value.encode("utf-8", "surrogatepass").hex()}
    return value


def encode_bytes(value: bytes) -> JSON:
    """Spell bytes as base64."""
    return {"bytes": base64.b64encode(value).decode()}


def encode_complex(value: complex) -> JSON:
    """Spell a complex number as its two doubles."""
    return {"complex": [encode_float(value.real), encode_float(value.imag)]}


def decode_float(text: str) -> float:
    """Return the double with exactly the bits that `encode_float` spelled."""
    if text.startswith("nan:"):
        bits: float = struct.unpack(">d", bytes.fromhex(text[4:]))[0]
        return bits
    return float(text)


def decode_plain(tag: str, payload: JSON) -> object:
    """Return the value of a tagged plain node; an unknown tag is a DamageError."""
    match tag:
        case "float":
            return decode_float(payload)
        case "int":
            return int(payload, 16)
        case "text":
            return bytes.fromhex(payload).decode("utf-8", "surrogatepass")
        case "bytes":
            return base64.b64decode(payload, validate=True)
        case "complex":
            return complex(*(decode_float(part["float"]) for part in payload))
    raise damaged(f"the structure holds the unknown tag {tag!r}")


def encode_key(key: object, path: str) -> JSON:
    """Spell a key of a dict: text or a whole number, kept apart. Everything else is refused by name."""
    if type(key) is str:
        return encode_text(key)
    if type(key) is int:
        return encode_int(key)
    raise UsageError(
        "SR-STATE-003",
        f"{path or 'the state'} has the key {key!r:.80}, which is {type_name(key)}",
        evidence=["keys of a dict in a state are text or whole numbers; True, 1.0 and 1 would be one key to Python"],
        do="use a text key, for instance str(key)",
    )


def decode_key(node: JSON) -> str | int:
    """Return the key that `encode_key` spelled."""
    if isinstance(node, dict):
        ((tag, payload),) = node.items()
        node = decode_plain(tag, payload)
    if type(node) is str or type(node) is int:
        return node
    raise damaged(f"the structure holds the key {node!r:.80}")


def path_part(key: object) -> str:
    """Return one step of a leaf's path. `~` is written ~0, `/` ~1; text that could be mistaken for something else
    (a number, nothing, safetensors' own `__metadata__`) starts with ~2, so that 7 and "7" never share a path; text that
    UTF-8 cannot say is ~3 and hexadecimal."""
    if type(key) is int:
        return str(key) if -SAFE_INTEGER <= key <= SAFE_INTEGER else hex(key)
    text = str(key)
    if "~" in text or "/" in text:
        text = text.replace("~", "~0").replace("/", "~1")
    if not text or text == "__metadata__" or _looks_whole(text):
        text = f"~2{text}"
    return text if type(encode_text(text)) is str else f"~3{text.encode('utf-8', 'surrogatepass').hex()}"


def _looks_whole(text: str) -> bool:
    body = text.removeprefix("-")
    return body.isdigit() or body.startswith("0x")


def type_name(value: object) -> str:
    """Return the type of a value as a person would write it: `int`, `numpy.float32`, `mylib.Thing`."""
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def refuse(path: str, value: object, why: str, do: str) -> NoReturn:
    """Raise the error for a value that has no place in a state."""
    raise UsageError(
        "SR-STATE-001",
        f"{path or 'the state'} is {type_name(value)}, which a state cannot hold",
        evidence=[why],
        do=do,
    )


def damaged(what: str) -> DamageError:
    """Return the error for a structure that was not written by `pack`."""
    return DamageError(
        "SR-STATE-020",
        f"a stored state is not what was written: {what}",
        do="resume from another checkpoint (`--fallback`), or restore the file from a copy",
    )
