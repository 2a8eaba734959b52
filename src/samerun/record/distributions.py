"""The installed distributions as facts: version, what was installed (by its RECORD), by whom, and from where.

Read from the files of each metadata folder, not with importlib.metadata, which takes 0.2 s for 200 of them. A place on
this machine is never in it; neither is a digest that a place went into, since that could be tested for a guess.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from samerun.base.digest import sha256
from samerun.base.places import LOCAL_PATH
from samerun.base.redact import redact_text, strip_userinfo

_DISTRIBUTION: Final = re.compile(r"(?P<name>.+?)-(?P<version>[^-]+?)(-py[\d.]+)?\.(dist|egg)-info")
_INSTALLER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_INDEX_URL: Final = re.compile(r"(https?|ssh|git|svn|bzr|hg|ftp)://", re.IGNORECASE)
_OF_THIS_INSTALLATION: Final = ("INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json", "uv_build.json")
"""Files of a metadata folder that tell who installed it, whether by name, and from where."""
_EDITABLE: Final = "an editable install: what is imported lies elsewhere"
_NO_RECORD: Final = "it has no RECORD"


def distributions(path: Iterable[str]) -> dict[str, dict[str, Any]]:
    """List the installed distributions by normal name; the first on `path` wins, as it does on import.

    Each has `version`, `is_editable`, `installer`, `record` (see `record_digest`), `origin` (null: from an index; else
    see `origin_of_distribution`) and `reason`, which says why there is no digest.
    """
    found: dict[str, dict[str, Any]] = {}
    for folder, match in _metadata_folders(path):
        name = normal_name(match["name"])
        if name not in found:
            found[name] = {"version": match["version"], **_facts(folder)}
    return dict(sorted(found.items()))


def normal_name(name: str) -> str:
    """Return the name of a distribution as PEP 503 spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def record_digest(record: bytes, folder: str) -> str:
    """Digest a RECORD over the files that came with the distribution, so that equal installations have equal digests.

    `folder` is the name of the metadata folder. Left out are the scripts (their first line names the interpreter),
    compiled files, and who installed it from where; the order of lines does not count.
    """
    lines = (record.replace(b"\r\n", b"\n") if b"\r" in record else record).split(b"\n")
    # 40,000 lines in an environment with torch: this is 12 ms, a pattern over them 40.
    kept = [line for line in lines if line[-1:] != b"," and line[:3] != b"../"]
    kept.sort()
    del kept[: bisect_right(kept, b"")]
    for name in _OF_THIS_INSTALLATION:
        begin = f"{folder}/{name},".encode()
        at = bisect_left(kept, begin)
        if kept[at : at + 1] and kept[at].startswith(begin):
            del kept[at]
    return sha256(b"\n".join(kept))


def origin_of_distribution(direct_url: bytes) -> dict[str, Any] | None:
    """Say where a distribution that came from no index came from (PEP 610), None where that cannot be read.

    `kind` is editable, directory, vcs or archive; `url` has neither user nor password, and is "[local path]" for a
    place on this machine; of a vcs also `vcs`, `commit` and `revision`; `hashes` of an archive.
    """
    try:
        stored = json.loads(direct_url)
    except ValueError:
        return None
    if not isinstance(stored, dict) or not isinstance(stored.get("url"), str):
        return None
    url = stored["url"]
    origin = {"url": strip_userinfo(url) if _INDEX_URL.match(url) else LOCAL_PATH, **_kind_of(stored)}
    if isinstance(stored.get("subdirectory"), str):
        origin["subdirectory"] = redact_text(stored["subdirectory"])
    return origin


def _kind_of(stored: Mapping[str, Any]) -> dict[str, Any]:
    vcs, archive, folder = (_table(stored, f"{name}_info") for name in ("vcs", "archive", "dir"))
    if vcs is not None:
        commit, revision = (_text(vcs.get(name)) for name in ("commit_id", "requested_revision"))
        return {"kind": "vcs", "vcs": _text(vcs.get("vcs")), "commit": commit, "revision": revision}
    if folder is not None:
        return {"kind": "editable" if folder.get("editable") is True else "directory"}
    return {"kind": "archive", "hashes": _hashes(archive or {})}


def _hashes(archive: Mapping[str, Any]) -> dict[str, str]:
    named = _table(archive, "hashes")
    if named is None and isinstance(archive.get("hash"), str):
        algorithm, _, value = archive["hash"].partition("=")
        named = {algorithm: value}
    return {str(name): str(value) for name, value in sorted((named or {}).items())}


def _table(of: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    found = of.get(name)
    return found if isinstance(found, dict) else None


def _text(value: object) -> str | None:
    return redact_text(value) if isinstance(value, str) else None


def _metadata_folders(path: Iterable[str]) -> Iterator[tuple[str, re.Match[str]]]:
    for text in path:
        try:
            names = sorted(os.listdir(text or "."))
        except OSError:
            continue
        for entry in names:
            match = _DISTRIBUTION.fullmatch(entry)
            if match is not None and _is_text(entry):
                yield os.path.join(text, entry), match


def _is_text(name: str) -> bool:
    return name.isprintable() and not any("\ud800" <= letter <= "\udfff" for letter in name)


def _facts(folder: str) -> dict[str, Any]:
    direct_url, record, installer = (_read(folder, name) for name in ("direct_url.json", "RECORD", "INSTALLER"))
    origin = None if direct_url is None else origin_of_distribution(direct_url)
    is_editable = origin is not None and origin["kind"] == "editable"
    reason = _EDITABLE if is_editable else _NO_RECORD if record is None else None
    who = (installer or b"").decode("ascii", "replace").strip()
    return {
        "is_editable": is_editable,
        "installer": who if _INSTALLER.fullmatch(who) else None,
        # An editable install has the place of its source written into its files.
        "record": None if record is None or is_editable else record_digest(record, Path(folder).name),
        "origin": origin,
        "reason": reason,
    }


def _read(folder: str, name: str) -> bytes | None:
    try:
        with open(f"{folder}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return None
