"""From the master seed and a name to a 128-bit key: BLAKE2b, keyed with the seed. Frozen for ever, pinned by vectors.

The generator that runs on the key is in philox.py; the names are in path.py.
"""

from __future__ import annotations

import hashlib
import os
from operator import index

from samerun.errors import UsageError

SEED_LIMIT = 2**128
KEY_BYTES = 16
# The version of this derivation; 16 bytes is the most that BLAKE2b takes. Another derivation gets another text.
_PERSON = b"samerun.stream.1"


def check_seed(value: object) -> int:
    """Return the master seed as an int, 0 <= seed < 2^128; NumPy integers count as integers.

    Raises UsageError: SR-SEED-001 for booleans, floats, text and anything else that is no integer, SR-SEED-002 for an
    integer out of range.
    """
    if isinstance(value, bool) or "bool" in type(value).__name__:
        raise _no_integer(value)
    try:
        seed = int(index(value))  # type: ignore[arg-type]
    except TypeError:
        raise _no_integer(value) from None
    if not 0 <= seed < SEED_LIMIT:
        raise UsageError(
            "SR-SEED-002",
            f"the seed {seed} is out of range",
            evidence=["a master seed is an integer from 0 to 2^128 - 1"],
            do="choose another one; `seed: null` draws one and records it",
        )
    return seed


def _no_integer(value: object) -> UsageError:
    return UsageError(
        "SR-SEED-001",
        f"the seed {value!r} is {type(value).__name__}, not an integer",
        evidence=["a master seed is an integer from 0 to 2^128 - 1; true, 7.0 and '7' would hide a mistake"],
        do="write a bare integer such as 7; `seed: null` draws one and records it",
    )


def draw_seed() -> int:
    """Return a new master seed from the system's entropy; 53 bits, so that it stays a plain number in JSON."""
    return int.from_bytes(os.urandom(7), "big") >> 3


def keyed_hash(seed: int, prefix: bytes = b"") -> hashlib.blake2b:
    """Return the hash that derives keys, with the seed and a prefix of the name already in it; copy it before use."""
    return hashlib.blake2b(prefix, digest_size=KEY_BYTES, key=seed.to_bytes(16, "little"), person=_PERSON)


def derive_key(seed: int, name: bytes) -> bytes:
    """Return the 16-byte key of the stream with these name bytes (path.encode_name)."""
    return keyed_hash(seed, name).digest()
