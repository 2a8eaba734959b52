"""`source.json`, `source-files.tar` and `source.patch` of a run folder: written at the start, added to at the end.

The document is written last and holds the digests of the two others. What was written is read by source_read.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from samerun.base import files
from samerun.base.digest import sha256
from samerun.base.sealed import read_sealed, write_sealed
from samerun.record import layout
from samerun.record.capture import Capture, capture
from samerun.record.snapshot import snapshot_tar
from samerun.record.source import Source, SourceFile, content_now
from samerun.record.source_read import read_snapshot, read_source
from samerun.record.stored import stored_files, stored_name


def write_source(folder: Path, source: Source, captured: Capture | None = None) -> None:
    """Write all three files from what was captured, or from what is there now.

    Files that stand there already are replaced; a kill in between leaves a document that fits the old and the new ones.
    """
    found = captured or capture(source)
    document = {
        "schema": "samerun.source",
        "format": layout.RUN_FORMAT,
        "files": {**found.stored.rows, **found.patched.rows},
        "patch": {"is_redacted": found.is_redacted},
        **found.facts(),
    }
    _put(folder, document, found.stored.contents, found.survey.patch.data)


def add_source(folder: Path, late: Sequence[SourceFile], changed: Sequence[SourceFile]) -> None:
    """Add files that were imported late, and name those that changed since they were recorded.

    All else stays as it was at the start: commit, patch, and the files as they were then.
    """
    document, contents = read_source(folder), dict(read_snapshot(folder))
    more = stored_files(late)
    gone = [f"{name}: not stored whole" for name in more.rows if not more.is_whole(name)]
    again = [file for file in late if _is_other(document["files"].get(stored_name(file)), file)]
    incomplete = [*document["incomplete"], *gone]
    document = {
        **document,
        "files": {**document["files"], **more.rows},
        "changed_meanwhile": _named(document["changed_meanwhile"], changed, again, document["files"]),
        "incomplete": incomplete,
        "is_complete": not incomplete,
    }
    patch = (folder / layout.SOURCE_PATCH).read_bytes()
    _put(folder, document, {**contents, **more.contents}, patch)


def _is_other(row: Mapping[str, Any] | None, file: SourceFile) -> bool:
    return row is not None and row["content"] != file.content


def _named(
    earlier: Sequence[Mapping[str, Any]],
    changed: Sequence[SourceFile],
    again: Sequence[SourceFile],
    rows: Mapping[str, Mapping[str, Any]],
) -> list[Mapping[str, Any]]:
    found = {row["path"]: row for row in earlier}
    for file in changed:
        found[stored_name(file)] = {"path": stored_name(file), "was": file.content, "is": content_now(file)}
    for file in again:
        name = stored_name(file)
        found[name] = {"path": name, "was": rows[name]["content"], "is": file.content}
    return [found[name] for name in sorted(found)]


def _put(folder: Path, document: Mapping[str, Any], contents: Mapping[str, bytes], patch: bytes) -> None:
    snapshot = snapshot_tar(contents)
    whole = {
        **{key: value for key, value in document.items() if key not in ("digest", "superseded")},
        "snapshot": {"name": layout.SOURCE_FILES, "digest": sha256(snapshot)},
        "patch": {**document["patch"], "name": layout.SOURCE_PATCH, "digest": sha256(patch)},
    }
    path = folder / layout.SOURCE
    if path.exists():
        earlier = read_sealed(path)
        # ORDER: first a document that accepts both, then the files, then the one that accepts the new ones only.
        write_sealed(path, {**whole, "superseded": {key: earlier[key]["digest"] for key in ("snapshot", "patch")}})
    files.replace(folder / layout.SOURCE_FILES, snapshot)
    files.replace(folder / layout.SOURCE_PATCH, patch)
    write_sealed(path, whole)
