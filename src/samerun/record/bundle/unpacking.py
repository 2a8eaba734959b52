"""A bundle becomes a run folder: written under a hidden name, looked at whole, then given its name at once.

Only names that a run writes become files, every byte is compared before a rename shows it, and nothing that stands
there is touched. Nothing of a bundle is run or unpickled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from samerun.base import files
from samerun.base.digest import sha256
from samerun.errors import DamageError, SamerunError
from samerun.record import layout
from samerun.record.bundle import leaving
from samerun.record.bundle.marker import Marker, write_marker
from samerun.record.bundle.names import CRATE, DATA, INDEX, PART_BYTES, RUN
from samerun.record.bundle.opened import RESTORE, Opened, member_refused
from samerun.record.manifest import read_manifest
from samerun.record.snapshot import label_fault
from samerun.record.source_names import OF_PROJECT
from samerun.record.source_read import read_snapshot, read_source

EMPTY: Final = (layout.CHECKPOINTS, layout.EVALUATIONS, layout.ATTEMPTS)
"""Folders that a run has also while nothing is in them."""
Check = Callable[[Path], list[str]]
"""Names what is wrong with a run folder, a line each."""


def check_members(bundle: Opened) -> None:
    """Refuse (DamageError SR-BUNDLE-011) a member that no run folder holds."""
    for name in bundle.index.members:
        if name != CRATE and not name.startswith(DATA) and not leaving.may_leave(name.removeprefix(RUN)):
            raise member_refused(bundle.path, name, "no run has a file of this name")
        if name != CRATE and not name.startswith((RUN, DATA)):
            raise member_refused(bundle.path, name, f"it lies neither in {RUN} nor in {DATA}")


def read_through(bundle: Opened) -> None:
    """Read every member and compare it with the index. Raises DamageError SR-BUNDLE-013."""
    for place in bundle.places:
        for _ in bundle.blocks(place):
            pass


@contextmanager
def written(bundle: Opened, beside: Path, check: Check) -> Iterator[Path]:
    """Write the run of a bundle into a hidden folder beside `beside`, check it, and yield it; it is gone afterwards.

    Raises DamageError SR-BUNDLE-013 for a member that is not what was packed, 015 for a run that is not whole.
    """
    files.make_dir(beside.parent)
    folder = files.hidden_sibling(beside)
    files.make_dir(folder, exclusive=True)
    try:
        _write(bundle, folder)
        _check(bundle, folder, check)
        yield folder
    finally:
        files.remove(folder)


def _write(bundle: Opened, folder: Path) -> None:
    for name in EMPTY:
        files.make_dir(folder / name)
    made = {folder, *(folder / name for name in EMPTY)}
    for place in bundle.places:
        target = target_of(folder, place.entry.name)
        if target is None:
            for _ in bundle.blocks(place):
                pass
            continue
        files.make_dir(target.parent)
        made.add(target.parent)
        files.write_chunks(target, bundle.blocks(place))
    data = {name: facts.sha256 for name, facts in bundle.index.members.items() if name.startswith(DATA)}
    labels = {name.removeprefix(DATA): digest for name, digest in data.items()}
    write_marker(folder, Marker(sha256(bundle.index.as_bytes()), bundle.index.without, labels))
    for one in sorted(made):
        files.sync_dir(one)


def target_of(folder: Path, name: str) -> Path | None:
    """Return the file that a member becomes; None for what only the bundle needs."""
    if name in (INDEX, CRATE):
        return None
    if name.startswith(DATA):
        return folder / layout.UNPACKED_DATA / name.removeprefix(DATA)
    return folder / name.removeprefix(RUN)


def _check(bundle: Opened, folder: Path, check: Check) -> None:
    """Look at the run as a whole: what each file says of the others, and whether it is the run of the index."""
    try:
        problems = check(folder) or _strange(bundle, folder)
    except SamerunError as error:
        problems = [str(error.what), *error.evidence]
    if problems:
        raise DamageError(
            "SR-BUNDLE-015", f"{bundle.path.name}: what it holds is no whole run", evidence=problems[:10], do=RESTORE
        )


def _strange(bundle: Opened, folder: Path) -> list[str]:
    manifest = read_manifest(folder)
    if (manifest.name, manifest.opening[:8]) != (bundle.index.name, bundle.index.id8):
        return [f"the index is of {bundle.index.folder}, the manifest of {manifest.name}-{manifest.opening[:8]}"]
    entry = manifest.entry.path
    if entry is not None and label_fault(f"{RUN}{entry}") is not None:
        return [f"the manifest says that it was started by {entry[:200]!r}, which leads out of its project"]
    if (folder / layout.SOURCE).is_file():
        return _clashes([*read_source(folder)["files"], *read_snapshot(folder)])
    return []


def _clashes(labels: Iterable[str]) -> list[str]:
    """Name files of the source that lie below another file once they are restored, and names that no folder holds."""
    restored = {label.partition("/")[2] for label in labels if label.partition("/")[0] in OF_PROJECT}
    twice = {name for name in restored if not restored.isdisjoint(_above(name))}
    long = [name for name in restored if any(len(part.encode()) > PART_BYTES for part in name.split("/"))]
    return [f"{name[:200]!r} cannot be restored" for name in sorted({*twice, *long})]


def _above(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]
