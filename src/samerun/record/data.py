"""`data.json`: the digests of what a run read, and of a folder the digest of each file in it.

A folder of many files is listed in data-files.jsonl beside it, whose digest is in data.json. The digests of inputs are
in the identity as well; the files are there to name what moved.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from samerun.base import files
from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256
from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import DamageError
from samerun.record import layout
from samerun.record.manifest import check_format, missing_file

LISTED_INSIDE: Final = 2000
"""Files of a folder up to which they are listed in data.json itself."""


@dataclass(frozen=True)
class FolderFiles:
    """The files of one folder among the inputs."""

    files: Mapping[str, str]
    """Path within -> digest."""
    size_bytes: int = 0
    left_out: tuple[tuple[str, str], ...] = ()
    """What lies there and nobody can read: path and reason."""


@dataclass(frozen=True)
class DataRecord:
    """What a run read."""

    inputs: Mapping[str, str] = field(default_factory=dict)
    """Name of an input -> digest, as in the identity."""
    folders: Mapping[str, FolderFiles] = field(default_factory=dict)
    """Name of an input that is a folder -> its files."""


def write_data(folder: Path, data: DataRecord) -> None:
    """Write the record into a run folder."""
    document: dict[str, Any] = {"schema": "samerun.data", "format": layout.RUN_FORMAT, "inputs": dict(data.inputs)}
    large = {name: found for name, found in data.folders.items() if len(found.files) > LISTED_INSIDE}
    if large:
        listing = _listing(large)
        # ORDER: the list first; data.json holds its digest.
        files.replace(folder / layout.DATA_FILES, listing)
        document["listing"] = {"name": layout.DATA_FILES, "digest": sha256(listing)}
    document["files"] = {
        name: {
            "num_files": len(found.files),
            "size_bytes": found.size_bytes,
            "files": None if name in large else dict(found.files),
            "left_out": [list(one) for one in found.left_out],
        }
        for name, found in data.folders.items()
    }
    write_sealed(folder / layout.DATA, document)


def _listing(large: Mapping[str, FolderFiles]) -> bytes:
    lines = [
        canonical_bytes([name, file, digest.removeprefix("sha256:")])
        for name, found in sorted(large.items())
        for file, digest in sorted(found.files.items())
    ]
    return b"\n".join(lines) + b"\n"


def read_data(folder: Path) -> DataRecord:
    """Read the record of a run folder, the list of files included.

    Raises DamageError SR-RECORD-022 where a file is missing, SR-DATA-035 for a list that is not what was written;
    SR-RECORD-021 for another kind of document. MissingError SR-RECORD-020 for a later format.
    """
    path = folder / layout.DATA
    try:
        document = read_sealed(path)
    except FileNotFoundError:
        raise missing_file(path) from None
    check_format(document, "samerun.data", str(path))
    listed = _read_listing(folder, document["listing"]) if "listing" in document else {}
    folders = {
        name: FolderFiles(
            found["files"] if found["files"] is not None else listed.get(name, {}),
            found.get("size_bytes", 0),
            tuple((one, reason) for one, reason in found.get("left_out", ())),
        )
        for name, found in document.get("files", {}).items()
    }
    return DataRecord(document.get("inputs", {}), folders)


def _read_listing(folder: Path, promised: Mapping[str, str]) -> dict[str, dict[str, str]]:
    path = folder / layout.DATA_FILES
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise missing_file(path) from None
    if sha256(data) != promised["digest"]:
        raise DamageError(
            "SR-DATA-035",
            f"{path.name} was changed after it was written",
            evidence=[f"digest stored in {layout.DATA}: {promised['digest']}", f"found: {sha256(data)}"],
            do="restore this file from a copy; `samerun verify RUN --files` lists all damage",
        )
    found: dict[str, dict[str, str]] = {}
    for name, file, digest in json.loads(b"[" + data.rstrip(b"\n").replace(b"\n", b",") + b"]"):
        found.setdefault(name, {})[file] = f"sha256:{digest}"
    return found
