"""Cutting a log back to a stored position: what lies beyond moves to `attempts/NNNN/`, nothing is thrown away.

A kill in the middle leaves a log that the same cut, made again, still finds whole up to the position. What is kept is
named by its digest, so that damage to it shows and a second try keeps it once.
"""

from pathlib import Path

from samerun.base import files
from samerun.base.digest import sha256, sha256_file
from samerun.errors import DamageError
from samerun.record import layout
from samerun.record.rowchain import LogMark, walk_rows


def cut_to(folder: Path, name: str, mark: LogMark, attempt: int, *, is_new: bool) -> None:
    """Verify the log up to `mark` and move every later byte, torn line included, to attempts/<attempt>/.

    is_new: the log may be absent. Raises DamageError SR-RECORD-013 for a log shorter than `mark`, and what walk_rows
    raises for broken rows before it; then nothing was moved.
    """
    for _ in walk_rows(folder, name, until=mark):
        pass
    path = folder / layout.log_part_name(name, mark.part)
    if not path.is_file():
        if is_new and not layout.log_parts(folder, name):
            return
        raise DamageError(
            "SR-RECORD-012",
            f"{path.name}: this part of the log is missing",
            evidence=[f"file: {path}", f"a position at byte {mark.bytes} of it was stored"],
            do="samerun verify RUN --files",
        )
    later = [part for part in layout.log_parts(folder, name) if part > mark.part]
    # ORDER: the last part first and the cut at the end, so that a kill in between leaves no gap before the tail.
    for part in reversed(later):
        _keep(folder, folder / layout.log_part_name(name, part), 0, attempt)
    if path.stat().st_size > mark.bytes:
        _keep(folder, path, mark.bytes, attempt)


def _keep(folder: Path, path: Path, start: int, attempt: int) -> None:
    """Move the bytes of `path` from `start` on to attempts/<attempt>/; the name holds the digest of what it keeps."""
    keeper = layout.attempt_folder(folder, attempt)
    files.make_dir(keeper)
    if start == 0 and path.name != layout.log_part_name(path.name.split(".")[0], 0):
        files.rename(path, keeper / layout.kept_name(path.name, sha256_file(path)))
        return
    with path.open("rb") as rows:
        rows.seek(start)
        tail = rows.read()
    files.replace(keeper / layout.kept_name(path.name, sha256(tail)), tail)
    files.cut(path, start)
