"""Names of files as git holds them, bytes of any kind, and how they are spelled in a document and in a patch.

A name that is plain UTF-8 is spelled as it is; any other one as git quotes it ("caf\\351.py"), which is the same
everywhere and can be read back.
"""

from __future__ import annotations

from typing import Final

_ESCAPES: Final = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def spelled(name: bytes) -> str:
    """Spell a name for a document: as it is, or quoted where it is not UTF-8 or holds control characters."""
    try:
        text = name.decode("utf-8")
    except UnicodeDecodeError:
        return _quoted(name)
    # A name that begins like a quoted one would be read as one.
    return text if text.isprintable() and not text.startswith('"') else _quoted(name)


def in_patch(name: bytes) -> bytes:
    """Spell a name as git does in a patch (core.quotepath): anything beyond printable ASCII is quoted."""
    is_plain = all(32 <= byte < 127 and byte not in (34, 92) for byte in name)
    return name if is_plain else _quoted(name).encode("ascii")


def _quoted(name: bytes) -> str:
    return '"' + "".join(_escaped(byte) for byte in name) + '"'


def _escaped(byte: int) -> str:
    if byte in _ESCAPES:
        return f"\\{_ESCAPES[byte]}"
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
