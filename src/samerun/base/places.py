"""Paths, user and host of this machine, taken out of what is recorded: a record says what ran, not on whose machine.

A path keeps what lies below the folders that everybody has (the project, the home, the temporary folder), so that two
places stay two places. Secrets are redact.py's; where the real paths are kept (local.json) is the run's business.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

Place = tuple[str | int, ...]
"""Where a value stands in a tree: keys of tables, indexes of lists."""

LOCAL_PATH: Final = "[local path]"
USER: Final = "[user]"
HOST: Final = "[host]"

_PATH: Final = re.compile(
    # Not within a word, a URL, or a path that has its mark already; but behind `file://`, `-I` and the `\n` of a repr.
    r"(?:(?<![A-Za-z0-9_.~/\])}>*\\-])|(?<=file://)|(?<=\s-[A-Za-z])|(?<=^-[A-Za-z])|(?<=\\[nrt]))"
    r"(?P<path>/(?!/)[^\s'\",;:()\[\]{}<>|*?=`\\]*[^\s'\",;:()\[\]{}<>|*?=`\\.]"
    r"|~[A-Za-z0-9_-]*/[^\s'\",;:()\[\]{}<>|*?=`]+|[A-Za-z]:[\\/][^\s'\",;:()\[\]{}<>|*?=`]+)"
)
_WHOLE: Final = re.compile(r"(?:file:(?://)?)?(?:/|~[A-Za-z0-9_-]*/|[A-Za-z]:[\\/]|\\\\)[^\r\n]*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TOPS: Final = _words(
    "home Users root tmp var etc usr opt mnt media data scratch work private Volumes srv proc dev run lustre gpfs nfs "
    "workspace content kaggle app ssd"
)
"""First folders of a path that is one even without a second: `/data`; `/s` may be anything."""
_COMMON_NAMES: Final = _words(
    "root user users admin ubuntu debian ec2-user runner test home data work model train nobody localhost host local "
    "jovyan vagrant build main python torch step samerun"
)
"""Names that tell nobody's, or that every record is full of."""


def is_local_path(text: str) -> bool:
    """Whether a whole text is an absolute path, or one of somebody's home: `/data/x`, `~/x`, `C:\\x`, `file:/x`."""
    return len(text) > 1 and _WHOLE.fullmatch(text) is not None and not text.startswith("//")


def shown_path(text: str) -> str:
    """Return an absolute path with a mark for what only this machine has; what lies below stays.

    Two paths that differ stay different, unless they differ in the name of the user or the host alone: `/.` stands for
    the working folder, `/~` for the home, `/$TMP` and `/$TMPDIR` for the temporary folders.
    """
    head = "file:" if text.startswith("file:") else ""
    rest = text.removeprefix(head)
    for root, mark in _marks(os.getcwd() if _has_cwd() else "", os.environ.get("HOME", "")):
        if rest == root or rest.startswith(f"{root}/"):
            return head + _without_names(f"{LOCAL_PATH}/{mark}{rest[len(root) :]}")
    below = re.sub(r"^[A-Za-z]:", "", rest).replace("\\", "/").lstrip("/")
    return head + _without_names(f"{LOCAL_PATH}/{below}")


def shown_text(text: str) -> str:
    """Return a text, such as the message of an error, without paths, user and host of this machine.

    A path below a folder that everybody has keeps what lies below it, another one only its last part.
    """
    if "/" in text or "\\" in text:
        text = _PATH.sub(_short, _without_roots(text))
    return _without_names(text)


def shown_tree(tree: Any) -> Any:
    """Return a tree of plain values with each text shown as `shown_text` does; keys too."""
    if isinstance(tree, str):
        return shown_text(tree)
    if isinstance(tree, Mapping):
        return {shown_tree(key): shown_tree(item) for key, item in tree.items()}
    return [shown_tree(item) for item in tree] if isinstance(tree, (list, tuple)) else tree


def shown_bytes(data: bytes) -> bytes:
    """Return a file that a person wrote, as `shown_text` shows it; bytes that are no UTF-8 stay."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    shown = shown_text(text)
    return data if shown == text else shown.encode("utf-8")


def hide_paths(tree: Any, path: Place = ()) -> tuple[Any, dict[Place, str]]:
    """Return a copy of a tree of settings with absolute paths shown as `shown_path` does, and the paths by their place.

    Of a path among other words only the folders of this process are replaced: what else looks like one may be none.
    """
    hidden: dict[Place, str] = {}
    if isinstance(tree, str):
        shown = shown_path(tree) if is_local_path(tree) else _with_marks(tree)
        return shown, {} if shown == tree else {path: tree}
    if isinstance(tree, Mapping):
        table = {}
        for key, item in tree.items():
            table[key], below = hide_paths(item, (*path, key))
            hidden.update(below)
        return table, hidden
    if isinstance(tree, (list, tuple)):
        items = []
        for at, item in enumerate(tree):
            shown, below = hide_paths(item, (*path, at))
            items.append(shown)
            hidden.update(below)
        return items, hidden
    return tree, hidden


def _with_marks(text: str) -> str:
    for root, mark in _marks(os.getcwd() if _has_cwd() else "", os.environ.get("HOME", "")):
        if root != "/tmp" and root in text:
            text = re.sub(_alone(root), f"{LOCAL_PATH}/{mark}", text)
    return text


def _short(match: re.Match[str]) -> str:
    parts = [part for part in re.split(r"[\\/]", match["path"]) if part]
    if len(parts) < 2 and (not parts or parts[0] not in _TOPS):
        return match["path"]
    return f"{LOCAL_PATH}/{parts[-1]}" if len(parts) > 1 else LOCAL_PATH


def _without_roots(text: str) -> str:
    for root in _roots(os.getcwd() if _has_cwd() else "", os.environ.get("HOME", "")):
        if root in text:
            text = re.sub(_alone(root), LOCAL_PATH, text)
    return text


def _alone(root: str) -> str:
    # `/tmp` is a part of many names; a longer folder is told wherever it stands.
    before = r"(?<![A-Za-z0-9_.\]])" if root.count("/") == 1 else ""
    return before + re.escape(root) + r"(?![A-Za-z0-9_.-])"


def _has_cwd() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


@lru_cache(maxsize=8)
def _roots(here: str, home: str) -> tuple[str, ...]:
    """Folders whose own path tells of the machine; the longest first, so that what lies below is kept."""
    project = Path(here).resolve() if here else None
    found = {here, home, "/tmp", os.environ.get("TMPDIR", "").rstrip("/"), sys.prefix, sys.base_prefix}
    found |= {str(Path(home).resolve())} if home else set()
    found |= {str(project)} if project else set()
    return tuple(sorted((root for root in found if root.count("/") >= 1 and len(root) > 1), key=len, reverse=True))


@lru_cache(maxsize=8)
def _marks(here: str, home: str) -> tuple[tuple[str, str], ...]:
    """Return the folders of this process and what stands for each; the longest first."""
    own = os.environ.get("TMPDIR", "").rstrip("/")
    found = {own: "$TMPDIR", "/tmp": "$TMP"}
    found |= dict.fromkeys(_spellings(home), "~") | dict.fromkeys(_spellings(here), ".")
    return tuple(sorted(((root, mark) for root, mark in found.items() if len(root) > 1), key=lambda one: -len(one[0])))


def _spellings(folder: str) -> tuple[str, ...]:
    return (folder.rstrip("/"), str(Path(folder).resolve())) if folder else ()


def _without_names(text: str) -> str:
    pattern, marks = _names(os.environ.get("HOME", ""), os.environ.get("USER", ""), os.environ.get("LOGNAME", ""))
    return text if pattern is None else pattern.sub(lambda match: marks[match.group()], text)


@lru_cache(maxsize=8)
def _names(home: str, user: str, login: str) -> tuple[re.Pattern[str] | None, dict[str, str]]:
    host = socket.gethostname()
    marks = dict.fromkeys((host, host.partition(".")[0]), HOST)
    marks |= dict.fromkeys((user, login, home.rpartition("/")[2]), USER)
    known = {name: mark for name, mark in marks.items() if len(name) >= 4 and name.lower() not in _COMMON_NAMES}
    if not known:
        return None, {}
    names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z0-9])(?:{names})(?![A-Za-z0-9])"), known
