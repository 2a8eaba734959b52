"""What a bundle brought into a run folder, and what it left out: data are covered, and no checkpoint is missed wrongly.

The other files of a run are integrity.py's.
"""

from __future__ import annotations

from pathlib import Path

from samerun.checkpoint.format import file_damage
from samerun.record import layout
from samerun.record.bundle.marker import check_data_files, read_marker
from samerun.record.progress import check_last_checkpoint
from samerun.record.reader import RunRecord


def check_last(record: RunRecord) -> None:
    """Raise DamageError where the checkpoint that a run ended with is gone, unless its bundle was made without it."""
    marker = read_marker(record.folder)
    if marker is None or record.manifest.step not in marker.without:
        check_last_checkpoint(record)


def brought_files(folder: Path) -> list[Path]:
    """List the data files of an unpacked run, whatever they are."""
    return sorted(path for path in (folder / layout.UNPACKED_DATA).rglob("*") if path.is_file())


def check_brought(folder: Path) -> None:
    """Raise DamageError for data that came along and are not what they were, or that did not come along."""
    marker = read_marker(folder)
    if marker is None:
        return
    check_data_files(folder, marker)
    place = folder / layout.UNPACKED_DATA
    extra = {path.relative_to(place).as_posix() for path in brought_files(folder)} - marker.data.keys()
    if extra:
        raise file_damage(f"{layout.UNPACKED_DATA}/{min(extra)}", "it did not come with the bundle")
