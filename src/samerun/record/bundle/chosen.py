"""Which files leave a run folder with a choice of checkpoints, before any of them is read.

Names are leaving.py's to judge, steps choice.py's; what becomes of the files is packing.py's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from samerun.base import files
from samerun.base.sealed import seal
from samerun.checkpoint.format import step_name
from samerun.checkpoint.index import CheckpointInfo
from samerun.checkpoint.store import digests_document, list_checkpoints
from samerun.record import layout
from samerun.record.bundle import leaving
from samerun.record.bundle.choice import DEFAULT, choose
from samerun.record.bundle.marker import read_marker
from samerun.record.bundle.members import not_whole
from samerun.record.reader import RunRecord


@dataclass(frozen=True)
class Leaving:
    """Which files of a run folder leave it, before any is read."""

    paths: Mapping[str, Path]
    """Path inside the run folder -> the file, sorted."""
    made: Mapping[str, bytes]
    """The same for files that only the bundle has: leaf digests of checkpoints that are left out."""
    checkpoints: tuple[int, ...]
    without: tuple[int, ...]
    left_out: tuple[str, ...] = ()
    """Files that stay and are no machine's own, each with the reason."""


def choose_files(record: RunRecord, checkpoints: str = DEFAULT, *, with_evaluations: bool = True) -> Leaving:
    """Say which files leave with the checkpoints that `checkpoints` means; with `all` kept weights and all pieces, too.

    Raises UsageError and NoMatchError as `choose` does, DamageError SR-BUNDLE-004 for a checkpoint whose replacement
    was cut short.
    """
    infos = list_checkpoints(record.folder / layout.CHECKPOINTS)
    best = record.manifest.best.get("step")
    steps = choose(checkpoints, [info.step for info in infos], best if isinstance(best, int) else None)
    is_all = checkpoints == "all"
    for info in infos:
        if info.path.name != step_name(info.step):
            raise not_whole(record.name, f"the checkpoint of step {info.step} was being replaced when its run ended")
    chosen = [info for info in infos if info.step in steps]
    pieces = _pieces(chosen)
    paths: dict[str, Path] = {}
    left_out: list[str] = []
    for label, path in _walk(record.folder):
        if any(files.is_rubble(part) for part in label.split("/")) or label in leaving.STAYS:
            continue
        if not leaving.may_leave(label):
            left_out.append(f"{label}: no run writes it")
        elif label.startswith(f"{layout.EVALUATIONS}/") and not with_evaluations:
            left_out.append(f"{label}: it was not asked for")
        elif _is_wanted(label, steps, pieces, is_all):
            paths[label] = path
    without = [info for info in infos if info.step not in steps]
    made = {leaving.digests_path(info.step): seal(digests_document(info.index)) for info in without}
    kept = tuple(info.step for info in chosen)
    # What a bundle before this one left out is still left out: the run has its digests alone.
    marker = read_marker(record.folder)
    earlier = () if marker is None else marker.without
    lacking = {*earlier, *(info.step for info in without)} - set(kept)
    return Leaving(paths, made, kept, tuple(sorted(lacking)), tuple(left_out))


def _walk(folder: Path, prefix: str = "") -> Iterator[tuple[str, Path]]:
    """Yield every file below a folder, by name; of links to folders only those that lie in the run folder itself."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
    for entry in entries:
        label, path = prefix + os.fsencode(entry.name).decode("utf-8", "backslashreplace"), Path(entry.path)
        if label == layout.UNPACKED_DATA:
            continue  # data.py's
        if entry.is_dir(follow_symlinks=not prefix):
            yield from _walk(path, f"{label}/")
        else:
            yield label, path


def _pieces(infos: Sequence[CheckpointInfo]) -> frozenset[str]:
    facts = [component for info in infos for component in info.index.components.values()]
    return frozenset(f"{name.removeprefix('sha256:')}.safetensors" for one in facts for name in one.chunks)


def _is_wanted(label: str, steps: Sequence[int], pieces: frozenset[str], is_all: bool) -> bool:
    step = leaving.step_of(label)
    if is_all or (step is None and not leaving.is_chunk(label)):
        return True
    return step in steps or label.rpartition("/")[2] in pieces
