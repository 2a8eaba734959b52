"""The bundle of a run and the writing of it: all members are known first, then written in one stream.

Equal records and equal choices give equal bytes, on every machine: names are sorted, nothing is of now or of here. That
the run is whole was checked before; which files leave is chosen.py's to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from samerun.base import files
from samerun.base.digest import Sha256, sha256_file
from samerun.errors import RefusedError
from samerun.record import layout
from samerun.record.bundle import spelling
from samerun.record.bundle.chosen import Leaving
from samerun.record.bundle.crate import crate_bytes
from samerun.record.bundle.index import BundleIndex
from samerun.record.bundle.members import Member, member_of_bytes, member_of_file
from samerun.record.bundle.names import CRATE, DATA, INDEX, RUN, twins
from samerun.record.reader import RunRecord


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


def gather(record: RunRecord, leaving: Leaving, data: Mapping[str, Mapping[str, Path]]) -> Packing:
    """Read every file once and return the bundle as it would be written. Raises DamageError for what is no file.

    data: input of the run -> its files here, by their path in the project.
    """
    listed = {name: tuple(sorted(DATA + label for label in found)) for name, found in data.items()}
    found = {RUN + label: path for label, path in leaving.paths.items() if label not in leaving.made}
    found |= {DATA + label: path for one in data.values() for label, path in one.items()}
    members = [member_of_bytes(RUN + label, text) for label, text in leaving.made.items()]
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
        checkpoints=leaving.checkpoints,
        without=leaving.without,
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
    """Put a bundle where `path` says and return its SHA-256; a failed write leaves nothing.

    A file that is there already has to be the very same one, else RefusedError SR-BUNDLE-007. Raises MissingError as
    base/files.py does, LockedError as `Packing.chunks`.
    """
    if path.exists():
        return _standing(packing, path)
    files.make_dir(path.parent)
    temporary = files.hidden_sibling(path)
    try:
        _, digest = files.write_chunks(temporary, packing.chunks())
        files.rename(temporary, path)
    except BaseException:
        files.remove(temporary)
        raise
    return digest


def _standing(packing: Packing, path: Path) -> str:
    running = Sha256()
    for chunk in packing.chunks():
        running.update(chunk)
    if sha256_file(path) != running.value:
        raise RefusedError(
            "SR-BUNDLE-007",
            f"{path.as_posix()} is there already, with other content",
            evidence=["nothing was written"],
            do="remove it, or name another file with -o",
        )
    return running.value
