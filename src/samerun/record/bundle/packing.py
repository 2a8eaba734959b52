"""What goes into the bundle of a run, and the writing of it: all members first known, then written in one stream.

Equal records and equal choices give equal bytes, on every machine: names are sorted, nothing is of now or of here. That
the run is whole was checked before; which files may leave is leaving.py's to say.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from samerun.base import files
from samerun.base.sealed import seal
from samerun.checkpoint.format import step_name
from samerun.checkpoint.index import CheckpointInfo
from samerun.checkpoint.store import digests_document, list_checkpoints
from samerun.errors import RefusedError
from samerun.record import layout
from samerun.record.bundle import leaving, spelling
from samerun.record.bundle.crate import crate_bytes
from samerun.record.bundle.index import BundleIndex
from samerun.record.bundle.members import Member, member_of_bytes, member_of_file, not_whole
from samerun.record.bundle.names import CRATE, DATA, INDEX, RUN, twins
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


@dataclass(frozen=True)
class Packing:
    """A bundle that could be written now."""

    index: BundleIndex
    members: tuple[Member, ...] = field(repr=False)
    """In their order, the index first."""

    @property
    def size_bytes(self) -> int:
        """Bytes of the file."""
        entries = [member.entry for member in self.members]
        last = list(spelling.places(entries))[-1]
        return last.start + last.entry.size + len(spelling.ending(entries))

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes of the bundle. Raises LockedError SR-BUNDLE-006 where a file is no longer what it was."""
        entries = [member.entry for member in self.members]
        for member, place in zip(self.members, spelling.places(entries), strict=True):
            yield place.header
            yield from member.blocks()
        yield spelling.ending(entries)


def leaving_files(record: RunRecord, steps: Sequence[int], *, is_all: bool, with_evaluations: bool) -> Leaving:
    """Say which files leave with the checkpoints of `steps`. `is_all`: kept weights and every shared piece as well.

    Raises DamageError SR-BUNDLE-004 for a checkpoint whose replacement was cut short.
    """
    infos = list_checkpoints(record.folder / layout.CHECKPOINTS)
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
    return Leaving(paths, made, kept, tuple(info.step for info in without), tuple(left_out))


def _walk(folder: Path, prefix: str = "") -> Iterator[tuple[str, Path]]:
    """Yield every file below a folder, by name; of links to folders only those that lie in the run folder itself."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
    for entry in entries:
        label, path = prefix + os.fsencode(entry.name).decode("utf-8", "backslashreplace"), Path(entry.path)
        if label == layout.DATA_FILES:
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


def gather(record: RunRecord, leaving_now: Leaving, data: Mapping[str, Mapping[str, Path]]) -> Packing:
    """Read every file once and return the bundle as it would be written. Raises DamageError for what is no file.

    data: input of the run -> its files here, by their path in the project.
    """
    listed = {name: tuple(sorted(DATA + label for label in found)) for name, found in data.items()}
    found = {RUN + label: path for label, path in leaving_now.paths.items() if label not in leaving_now.made}
    found |= {DATA + label: path for one in data.values() for label, path in one.items()}
    members = [member_of_bytes(RUN + label, text) for label, text in leaving_now.made.items()]
    # A link to data is its owner's way to keep it elsewhere; a link inside a record is damage.
    members += [member_of_file(name, path.resolve() if name.startswith(DATA) else path) for name, path in found.items()]
    members.sort(key=lambda member: member.name.encode())
    _check_twins(record, members)
    manifest = record.manifest
    folder = layout.folder_name(manifest.name, manifest.opening[:8])
    crate = member_of_bytes(CRATE, crate_bytes(record, folder, members, listed))
    every = [crate, *members]
    index = BundleIndex(
        name=manifest.name,
        id8=manifest.opening[:8],
        members={member.name: member.facts for member in every},
        checkpoints=leaving_now.checkpoints,
        without=leaving_now.without,
        data=listed,
    )
    return Packing(index, (member_of_bytes(INDEX, index.as_bytes()), *every))


def _check_twins(record: RunRecord, members: Sequence[Member]) -> None:
    both = twins(member.name for member in members)
    if both is not None:
        raise RefusedError(
            "SR-BUNDLE-008",
            f"{record.name} is not packed: two of its files are one on some systems",
            evidence=[repr(name) for name in both],
            do="rename one of them (evaluations: samerun evaluate RUN --tag TAG), or leave them out: --no-evaluations",
        )


def write_bundle(packing: Packing, path: Path) -> str:
    """Write the bundle to a hidden file beside `path` and put it there at once; return its SHA-256.

    A failed write leaves nothing. Raises MissingError as base/files.py does.
    """
    files.make_dir(path.parent)
    temporary = files.hidden_sibling(path)
    try:
        _, digest = files.write_chunks(temporary, packing.chunks())
        files.rename(temporary, path)
    except BaseException:
        files.remove(temporary)
        raise
    return digest
