"""`unpacked.json`: says that a run folder came out of a bundle, and covers the data that came with it.

Whoever would run code that such a folder names asks for trust first (rerun/origin.py). The file is never packed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Self

from samerun.base.digest import sha256_file
from samerun.base.sealed import read_sealed, write_sealed
from samerun.checkpoint.format import file_damage
from samerun.record import layout
from samerun.record.bundle.names import name_fault
from samerun.record.manifest import check_format, malformed, missing_file


@dataclass(frozen=True)
class Marker:
    """The document."""

    bundle: str
    """SHA-256 of the bundle's index."""
    without: tuple[int, ...] = ()
    """Steps whose checkpoints were left out of the bundle."""
    data: Mapping[str, str] = field(default_factory=dict)
    """Path in the data folder -> SHA-256."""

    @classmethod
    def from_document(cls, document: Mapping[str, Any], where: str) -> Self:
        """Read what `write_marker` wrote. Raises DamageError SR-RECORD-021 for fields that cannot be."""
        check_format(document, "samerun.unpacked", where)
        bundle, without, data = (document.get(name) for name in ("bundle", "without", "data"))
        if not isinstance(bundle, str) or not isinstance(without, list) or not isinstance(data, dict):
            raise malformed(where, "bundle, without and data are not what they are called")
        if any(type(step) is not int for step in without) or any(name_fault(label) for label in data):
            raise malformed(where, "it names what cannot be a step or a file")
        return cls(bundle, tuple(without), data)


def write_marker(folder: Path, marker: Marker) -> None:
    """Put the marker into a run folder."""
    document = {"schema": "samerun.unpacked", "format": layout.RUN_FORMAT, "bundle": marker.bundle}
    write_sealed(
        folder / layout.UNPACKED,
        {**document, "without": list(marker.without), "data": dict(sorted(marker.data.items()))},
    )


def read_marker(folder: Path) -> Marker | None:
    """Return the marker of a run folder, None where it has none. Raises DamageError for a damaged one."""
    path = folder / layout.UNPACKED
    if not path.is_file():
        return None
    return Marker.from_document(read_sealed(path), str(path))


def data_of(folder: Path) -> dict[str, Path]:
    """List the data that came with a run in its bundle: path in the project -> where it lies here."""
    marker = read_marker(folder)
    labels = () if marker is None else marker.data
    return {label: (folder / layout.UNPACKED_DATA / label).absolute() for label in labels}


def brought(folder: Path, path: str) -> Path | None:
    """Return where a file or folder that a run names came to lie with its bundle; None where it did not come.

    What lay outside of the project came under the last part of its name.
    """
    labels = data_of(folder)
    for name in (path, PurePosixPath(path).name):
        if name and any(label == name or label.startswith(f"{name}/") for label in labels):
            return (folder / layout.UNPACKED_DATA / name).absolute()
    return None


def check_data_files(folder: Path, marker: Marker) -> None:
    """Raise DamageError for a data file of an unpacked run that is gone, or is not what was unpacked."""
    for label, digest in marker.data.items():
        path = folder / layout.UNPACKED_DATA / label
        if not path.is_file():
            raise missing_file(path)
        if (found := sha256_file(path)) != digest:
            raise file_damage(f"{layout.UNPACKED_DATA}/{label}", "its bytes are not those that were unpacked", found)
