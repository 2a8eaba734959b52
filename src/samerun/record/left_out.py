"""What a record of the source leaves out, and by which limits: each file by its name, its size and the reason.

A file that is left out has a digest where it is small enough to be read at the start of a run, and holds no secret.
"""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from samerun.base.digest import sha256, sha256_file
from samerun.base.redact import redact_text
from samerun.base.text import human_bytes
from samerun.record.scrub import clean_source

MODULE_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of a module that is still stored."""
FILE_LIMIT: Final = 4 * 1024 * 1024
"""Bytes of any other file that is still stored, or that still stands in the patch (its old version too)."""
ALL_LIMIT: Final = 8 * 1024 * 1024
"""Bytes of the patch in all, and of the files that rules name in all: searching them for secrets takes time."""
DIGEST_LIMIT: Final = 64 * 1024 * 1024
"""Bytes that are read in all for digests of what is left out, the smallest files first: about 50 ms."""
SEARCH_LIMIT: Final = 256 * 1024
"""Bytes that are searched for secrets in all before they are digested; larger files are data, and no text."""

_SECRET_NAMES: Final = (
    ".env", ".env.*", "*.env", ".netrc", "_netrc", ".pypirc", ".npmrc", ".pgpass", ".git-credentials", ".htpasswd",
    "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "id_rsa*", "id_dsa*", "id_ecdsa*",
    "id_ed25519*", "credentials", "credentials.*", "secrets", "secrets.*", "kaggle.json",
)  # fmt: skip

TOO_LARGE: Final = f"larger than {human_bytes(FILE_LIMIT)}"
TOO_MUCH: Final = f"more than {human_bytes(ALL_LIMIT)} with the others"
SECRET_NAME: Final = "its name says that it holds secrets"
SECRET: Final = "it holds a secret"
SECRETS: Final = frozenset({SECRET, SECRET_NAME})
NOT_PLAIN: Final = "no plain file"
NOT_DIGESTED: Final = f"not digested: no more than {human_bytes(DIGEST_LIMIT)} are read for that at a start"
UNREADABLE: Final = "it cannot be read"


@dataclass(frozen=True)
class LeftOut:
    """One file or folder that the record names and does not hold."""

    path: str
    """From the top of the repository, or of the project where there is none."""
    size_bytes: int | None
    reason: str
    counts: bool
    """Whether what ran cannot be restored without it."""
    digest: str | None = None
    place: Path | None = None
    """Where it lies here; never written down."""
    is_secret: bool = False
    """Whether a secret, or a name that says so, is why; such a file is never digested."""

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in source.json."""
        return {
            "path": redact_text(self.path),
            "size_bytes": self.size_bytes,
            "reason": self.reason,
            "counts": self.counts,
            "digest": self.digest,
        }


def is_secret_name(name: str) -> bool:
    """Whether a file of this name is known to hold secrets, whatever they look like."""
    return any(fnmatch.fnmatchcase(name.lower(), pattern) for pattern in _SECRET_NAMES)


def fault_of(path: Path) -> tuple[int | None, str | None]:
    """Give the size of a file and None, or a reason why it is not read: no plain file, not readable. Links count whole.

    What is not there has no size and no fault.
    """
    try:
        facts = os.lstat(path)
    except OSError:
        return None, None
    if stat.S_ISLNK(facts.st_mode):
        return facts.st_size, None
    if not stat.S_ISREG(facts.st_mode):
        return None, NOT_PLAIN
    return facts.st_size, None if os.access(path, os.R_OK) else UNREADABLE


def with_digests(found: Iterable[LeftOut]) -> tuple[LeftOut, ...]:
    """Digest what may be, the smallest first and within the limit; keep the order. A secret is never digested."""
    rows, left, searched = list(found), DIGEST_LIMIT, 0
    for index in sorted(range(len(rows)), key=lambda at: (rows[at].size_bytes or 0, rows[at].path)):
        row = rows[index]
        size = row.size_bytes
        if row.place is None or size is None or row.is_secret:
            continue
        searched += size if size <= SEARCH_LIMIT else 0
        if size > left or (size <= SEARCH_LIMIT < searched):
            rows[index] = replace(row, reason=f"{row.reason}; {NOT_DIGESTED}")
            continue
        left -= size
        rows[index] = replace(row, digest=_digest(row.place, size))
    return tuple(rows)


def _digest(path: Path, size: int) -> str | None:
    if is_secret_name(path.name) or fault_of(path)[1] is not None or path.is_symlink():
        return None
    try:
        if size > SEARCH_LIMIT:
            return sha256_file(path)
        data = path.read_bytes()
    except OSError:
        return None
    return None if clean_source(path.name, data)[1] else sha256(data)


def fitting(sizes: Sequence[tuple[bytes, int]], limit: int) -> set[bytes]:
    """Return the names that have to go so that the others fit into `limit`: the largest ones."""
    total, gone = sum(size for _, size in sizes), set()
    for name, size in sorted(sizes, key=lambda pair: (-pair[1], pair[0])):
        if total <= limit:
            break
        total -= size
        gone.add(name)
    return gone
