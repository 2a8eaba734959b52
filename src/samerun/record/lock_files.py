"""The lock and requirement files in the root of a project: how large each is, and the digest of what it says.

A secret in one (an index with a password) is taken out before it is digested, so that no digest can be tested for it.
Read only where it is a plain file; nothing of it is kept.
"""

from __future__ import annotations

import os
import re
import stat
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from samerun.base.digest import sha256
from samerun.base.redact import is_secret_text, redact_text
from samerun.base.text import human_bytes

PATTERNS: Final = (
    "Pipfile.lock",
    "conda-lock.yml",
    "constraints*.txt",
    "environment.yml",
    "pdm.lock",
    "pixi.lock",
    "poetry.lock",
    "pylock.*.toml",
    "pylock.toml",
    "pyproject.toml",
    "requirements*.txt",
    "uv.lock",
)
SIZE_LIMIT: Final = 32 * 1024 * 1024
"""Larger files are named, not read."""

_PIN: Final = re.compile(
    r"""[\s"'-]*[A-Za-z0-9][\w.-]*["']?(\[[^]]*])?\s*[=:]+\s*["']?[~^<>=!]*\d+(\.[\w*+]+)+["']?,?\s*([;#\\].*)?"""
)


def lock_files(root: Path) -> dict[str, dict[str, Any]]:
    """List the files by name: `size_bytes`, `digest`, `is_redacted`, and `reason` where there is no digest."""
    try:
        names = sorted(os.listdir(root))
    except OSError:
        return {}
    found = [name for name in names if any(fnmatchcase(name, pattern) for pattern in PATTERNS)]
    return {name.encode("utf-8", "backslashreplace").decode(): _facts(root / name) for name in found}


def _facts(path: Path) -> dict[str, Any]:
    row: dict[str, Any] = {"size_bytes": None, "digest": None, "is_redacted": False, "reason": None}
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return {**row, "reason": "it is no file"}
        row["size_bytes"] = status.st_size
        if status.st_size > SIZE_LIMIT:
            return {**row, "reason": f"it is larger than {human_bytes(SIZE_LIMIT)}"}
        data, is_redacted = _without_secrets(path.read_bytes())
    except OSError as problem:
        return {**row, "reason": problem.strerror or "it cannot be read"}
    return {**row, "digest": sha256(data), "is_redacted": is_redacted}


def _without_secrets(data: bytes) -> tuple[bytes, bool]:
    """Take secrets out of the text, and say whether there was any."""
    text = data.decode("utf-8", "surrogateescape")
    suspects = "\n".join(line for line in text.split("\n") if _may_hold_a_secret(line))
    if not is_secret_text(suspects):
        return data, False
    lines = (redact_text(line) if _may_hold_a_secret(line) else line for line in text.split("\n"))
    return "\n".join(lines).encode("utf-8", "surrogateescape"), True


def _may_hold_a_secret(line: str) -> bool:
    if "sha256:" in line:
        # Most of a lock file: the digest of a wheel, where a secret could only be part of the URL.
        return "@" in line or "?" in line
    # `detect-secrets==1.5.0` is a package.
    return _PIN.fullmatch(line) is None
