"""`source.json`: the source that counts for a run, file by file, by its meaning and by its bytes.

`gather` finds it: the user's closure, samerun's own, and the packages that provide parts. The facts for the identity
hold meanings only, so that a comment never orphans a run; the bytes stand beside them for a diff. What was written is
read by source_read.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from samerun.base import files
from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256, sha256_file
from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import UsageError
from samerun.record import layout
from samerun.record.closure import closure, late_imports, local_bases, own_closure, own_folder, package_files
from samerun.record.git import git_patch
from samerun.record.meaning import Meaning, meaning_of
from samerun.record.meaning_cache import MeaningCache, cache_folder
from samerun.record.scrub import scrub
from samerun.record.snapshot import snapshot_tar

USER: Final = "user"
OWN: Final = "samerun"
ELSEWHERE: Final = "elsewhere"
"""First part of the label of a file that is imported from outside the project."""
_READ_LIMIT: Final = 16 * 1024 * 1024
"""Larger files of a package are digested without being read into memory, and are not stored."""


@dataclass(frozen=True)
class SourceFile:
    """One file that counts."""

    group: str
    """`user`, `samerun`, or the name of a package that provides a part."""
    label: str
    """Path relative to the project, the package or the import folder; forward slashes, the same on every machine."""
    kind: str
    """`python` counts by meaning, `bytes` by content."""
    meaning: str
    """Digest that is part of the identity."""
    content: str
    """Digest of the bytes."""
    size_bytes: int
    path: Path | None = field(default=None, compare=False)
    """Where it lies here; never written down."""
    text: bytes | None = field(default=None, compare=False, repr=False)
    """Content of what has no path (the cells of a notebook)."""
    is_late: bool = False
    """Whether it was imported after the opening."""


@dataclass(frozen=True)
class Source:
    """Everything that counts, sorted by group and label."""

    root: Path
    """Project root here; never written down."""
    files: tuple[SourceFile, ...]

    def facts(self) -> dict[str, Any]:
        """Give the facts for the identity: each user file by its label, one digest for samerun and for each package."""
        user = {file.label: file.meaning for file in self.of(USER)}
        packages = sorted({file.group for file in self.files} - {USER, OWN})
        return {
            "user": user,
            "samerun": self._digest(OWN),
            "packages": {name: self._digest(name) for name in packages},
        }

    def of(self, group: str) -> list[SourceFile]:
        """List the files of a group."""
        return [file for file in self.files if file.group == group]

    def paths(self, group: str) -> list[Path]:
        """List the places of the files of a group."""
        return [file.path for file in self.of(group) if file.path is not None]

    def _digest(self, group: str) -> str:
        return sha256(canonical_bytes({file.label: file.meaning for file in self.of(group)}))

    def late(self) -> list[Path]:
        """List the files that are loaded by now and were not found: of the project, and of folders it imports from."""
        known = self.paths(USER)
        used = [base for base in local_bases(self.root) if any(path.is_relative_to(base) for path in known)]
        return late_imports(known, self.root, elsewhere=used)

    def with_late(self, late: Iterable[Path]) -> Source:
        """Add files that were imported after the opening, flagged; a file that is known stays as it is."""
        known, elsewhere = set(self.paths(USER)), local_bases(self.root)
        more = [_read_file(USER, _label(path, self.root, elsewhere), path) for path in late if path not in known]
        return Source(self.root, _sorted([*self.files, *(replace(file, is_late=True) for file in more)]))


def late_meaning(label: str, root: Path) -> str | None:
    """Digest the file that a late import was recorded under, as it is now; None where it is gone."""
    path = place_of(label, root)
    return None if path is None else _read_file(USER, label, path).meaning


def place_of(label: str, root: Path) -> Path | None:
    """Find the file of the user that was recorded under `label`, in the project at `root` or where that imports from.

    None where it is gone.
    """
    folder, _, rest = label.partition("/")
    places = [root / label, *((base / rest for base in local_bases(root)) if folder == ELSEWHERE else ())]
    return next((place for place in places if place.is_file()), None)


def source_digest(path: Path) -> str:
    """Digest of what a Python file means; comments, layout and docstrings do not move it."""
    return meaning_of(path.read_bytes()).code


def gather(
    root: Path,
    entries: Sequence[Path] = (),
    *,
    own_modules: Sequence[str] = (),
    packages: Sequence[str] = (),
    cells: Mapping[str, bytes] | None = None,
) -> Source:
    """Find and digest the source of a run.

    root: project root. entries: the script, or the user's own modules that a recipe names. own_modules: see
    own_closure. packages: installed packages that provide a part. cells: label -> text of source without a file.
    Docstrings count where any file of the user reads docstrings. Raises OSError for an entry that cannot be read.
    """
    root = root.resolve()
    cache = MeaningCache.open(cache_folder())
    elsewhere = local_bases(root)
    found: list[SourceFile] = []
    user: list[tuple[str, Path | None, bytes]] = [
        (_label(path, root, elsewhere), path, path.read_bytes())
        for path in (closure(list(entries), root, elsewhere=elsewhere, cache=cache) if entries else [])
    ]
    user += [(label, None, text) for label, text in (cells or {}).items()]
    found += _user_files(user, cache)
    base = own_folder().parent
    for path in own_closure(own_modules, cache=cache):
        found.append(_python_file(OWN, path.relative_to(base).as_posix(), path, path.read_bytes(), cache))
    for name in packages:
        found += [_read_file(name, label, path, cache) for label, path in package_files(name)]
    cache.save()
    return Source(root, _sorted(found))


def _user_files(user: Sequence[tuple[str, Path | None, bytes]], cache: MeaningCache) -> list[SourceFile]:
    meanings = [cache.meaning(data) for _, _, data in user]
    with_docs = any(meaning.reads_docs for meaning in meanings)
    return [
        _file(USER, label, path, data, meaning, with_docs)
        for (label, path, data), meaning in zip(user, meanings, strict=True)
    ]


def _python_file(group: str, label: str, path: Path, data: bytes, cache: MeaningCache) -> SourceFile:
    return _file(group, label, path, data, cache.meaning(data), with_docs=False)


def _file(group: str, label: str, path: Path | None, data: bytes, meaning: Meaning, with_docs: bool) -> SourceFile:
    digest = meaning.documented if with_docs else meaning.code
    text = data if path is None else None
    return SourceFile(group, label, meaning.kind, digest, sha256(data), len(data), path, text)


def _read_file(group: str, label: str, path: Path, cache: MeaningCache | None = None) -> SourceFile:
    size = path.stat().st_size
    if path.suffix == ".py" and size <= _READ_LIMIT:
        return _python_file(group, label, path, path.read_bytes(), cache or MeaningCache(None))
    digest = sha256_file(path)
    return SourceFile(group, label, "bytes", digest, digest, size, path)


def _label(path: Path, root: Path, elsewhere: Sequence[Path] = ()) -> str:
    label = _short_path(path, root, elsewhere)
    try:
        label.encode()
    except UnicodeEncodeError:
        raise UsageError(
            "SR-RECORD-026",
            f"{label!a}: the name of this source file is no Unicode text, which its record cannot hold",
            do="rename the file in UTF-8",
        ) from None
    return label


def _short_path(path: Path, root: Path, elsewhere: Sequence[Path]) -> str:
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    for base in elsewhere:
        if path.is_relative_to(base):
            return f"{ELSEWHERE}/{path.relative_to(base).as_posix()}"
    return f"{ELSEWHERE}/{path.name}"


def _sorted(found: Iterable[SourceFile]) -> tuple[SourceFile, ...]:
    unique = {(file.group, file.label): file for file in found}
    return tuple(unique[key] for key in sorted(unique))


def write_source(folder: Path, source: Source) -> None:
    """Write source-files.tar, source.patch and, last, source.json, which holds the digests of both.

    The snapshot holds every Python file; one with a secret written into it is stored without the secret and says so.
    Files that stand there already are replaced; a kill in between leaves a document that fits the old and the new ones.
    """
    contents: dict[str, bytes] = {}
    rows = {stored_name(file): _row(file, contents) for file in source.files}
    snapshot = snapshot_tar(contents)
    patch, num_redacted = scrub(git_patch(source.root, _inside(source)))
    document = {
        "schema": "samerun.source",
        "format": layout.RUN_FORMAT,
        "files": rows,
        "snapshot": {"name": layout.SOURCE_FILES, "digest": sha256(snapshot)},
        "patch": {"name": layout.SOURCE_PATCH, "digest": sha256(patch), "is_redacted": num_redacted > 0},
    }
    path = folder / layout.SOURCE
    if path.exists():
        earlier = read_sealed(path)
        # ORDER: first a document that accepts both, then the files, then the one that accepts the new ones only.
        write_sealed(path, {**document, "superseded": {key: earlier[key]["digest"] for key in ("snapshot", "patch")}})
    files.replace(folder / layout.SOURCE_FILES, snapshot)
    files.replace(folder / layout.SOURCE_PATCH, patch)
    write_sealed(path, document)


def _inside(source: Source) -> list[Path]:
    return [path for path in source.paths(USER) if path.is_relative_to(source.root)]


def _row(file: SourceFile, contents: dict[str, bytes]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "kind": file.kind,
        "meaning": file.meaning,
        "content": file.content,
        "size_bytes": file.size_bytes,
        "is_late": file.is_late,
        "is_stored": False,
        "num_redacted": 0,
    }
    if not file.label.endswith(".py") or file.size_bytes > _READ_LIMIT:
        return row
    data = file.text if file.text is not None else file.path.read_bytes() if file.path is not None else b""
    # Our own source is public, and its patterns for secrets look like secrets.
    stored, num_redacted = (data, 0) if file.group == OWN else scrub(data)
    contents[stored_name(file)] = stored
    return {**row, "is_stored": True, "num_redacted": num_redacted}


def stored_name(file: SourceFile) -> str:
    """Name of a file in source.json and in the snapshot: `user/train.py`, `own/samerun/errors.py`, `packages/...`."""
    place = {USER: "user", OWN: "own"}.get(file.group, "packages")
    return f"{place}/{file.label}"
