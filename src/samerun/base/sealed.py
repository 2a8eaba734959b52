"""JSON documents that hold their own digest: any changed byte is found when the document is read.

A sealed document is canonical JSON with the key "digest" over everything else, and one newline. Reading compares
bytes, not values: an added space is damage too. Nothing is accepted because a digest is missing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from samerun.base.canon import canonical_bytes, parse_json
from samerun.base.digest import sha256
from samerun.base.files import replace
from samerun.errors import DamageError

DIGEST_KEY = "digest"


def seal(document: dict[str, Any]) -> bytes:
    """Return the bytes of the document with its digest. Raises ValueError when it already has a key "digest"."""
    if DIGEST_KEY in document:
        raise ValueError('a document to be sealed cannot have a key "digest" of its own')
    return _spelled(document)[1]


def _spelled(document: dict[str, Any]) -> tuple[str, bytes]:
    """Return the digest of a document and its sealed bytes, spelling each of its values once."""
    if not all(isinstance(key, str) and key.isascii() for key in document):
        digest = sha256(canonical_bytes(document))
        return digest, canonical_bytes({**document, DIGEST_KEY: digest}) + b"\n"
    members = {key: canonical_bytes(key) + b":" + canonical_bytes(document[key]) for key in document}
    digest = sha256(_table(members))
    return digest, _table({**members, DIGEST_KEY: b'"%b":"%b"' % (DIGEST_KEY.encode(), digest.encode())}) + b"\n"


def _table(members: dict[str, bytes]) -> bytes:
    return b"{" + b",".join([members[key] for key in sorted(members)]) + b"}"


def unseal(data: bytes, where: str) -> dict[str, Any]:
    """Return the document without its digest; `where` names the file in the error.

    Raises DamageError: SR-DAMAGE-001 no JSON, SR-DAMAGE-002 no digest, SR-DAMAGE-003 not the bytes that were sealed.
    """
    document = parse_json(data, where)
    if not isinstance(document, dict) or not isinstance(document.get(DIGEST_KEY), str):
        raise DamageError(
            "SR-DAMAGE-002",
            f"{where} holds no digest of itself",
            evidence=[f'every JSON file of a run has a key "{DIGEST_KEY}" over the rest of it'],
            do="restore this file from a copy; `samerun verify RUN --files` lists all damage",
        )
    stored = document.pop(DIGEST_KEY)
    try:
        wanted, sealed = _spelled(document)
        is_whole = stored == wanted and sealed == data
    except TypeError as problem:
        wanted, is_whole = str(problem), False
    if not is_whole:
        found = f"digest over what is there: {wanted}"
        raise DamageError(
            "SR-DAMAGE-003",
            f"{where} was changed after it was written",
            evidence=[f"digest stored in it: {stored}", found if stored != wanted else "its spelling is not canonical"],
            do="restore this file from a copy; `samerun verify RUN --files` lists all damage",
        )
    return document


def read_sealed(path: Path) -> dict[str, Any]:
    """Read and check one sealed file. Raises FileNotFoundError when there is none, DamageError as `unseal` does."""
    return unseal(path.read_bytes(), path.as_posix())


def write_sealed(path: Path, document: dict[str, Any]) -> None:
    """Seal the document and put it in place of the file at once: a reader sees the old one or the new one, whole."""
    replace(path, seal(document))
