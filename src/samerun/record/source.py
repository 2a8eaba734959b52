"""The source that counts for a run, file by file, by its meaning and by its bytes.

`gather` finds it: the user's closure, samerun's own, and the packages that provide parts. The facts for the identity
hold meanings only, so that a comment never orphans a run; the bytes stand beside them for a diff. What is recorded
beside it is capture.py's, the document source_document.py's work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from samerun.base.cache import cache_folder
from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256, sha256_file
from samerun.config.problems import is_unicode, printable
from samerun.errors import SamerunError, UsageError
from samerun.record.closure import late_imports, local_bases, own_closure, own_folder, package_files, read_closure
from samerun.record.left_out import MODULE_LIMIT
from samerun.record.meaning import Meaning
from samerun.record.meaning_cache import MeaningCache
from samerun.record.reading import PLAIN, FileRead, Mark, mark_of, read_file

USER: Final = "user"
OWN: Final = "samerun"
RULE: Final = "rule"
"""Files that a rule of the project names: recorded, and no part of the identity."""
ELSEWHERE: Final = "elsewhere"
"""First part of the label of a file that is imported from outside the project."""


@dataclass(frozen=True)
class SourceFile:
    """One file that counts."""

    group: str
    """`user`, `rule`, `samerun`, or the name of a package that provides a part."""
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
    """Its bytes as they were digested; None for a large file, and for those of packages, which are read again."""
    is_late: bool = False
    """Whether it was imported after the opening."""
    why: str = "imported"
    """Why it is recorded: `entry`, `part`, `imported`, `late`, `cell`, `rule`, `own` or `package`."""
    mode: str = PLAIN
    link: str | None = None
    """Target of a symbolic link."""
    mark: Mark | None = field(default=None, compare=False, repr=False)
    """What tells whether it was written since it was read."""


@dataclass(frozen=True)
class Wanted:
    """What a source is gathered from: see `gather`."""

    entries: tuple[Path, ...] = ()
    own_modules: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    cells: tuple[tuple[str, bytes], ...] = ()
    why: str = "entry"


@dataclass(frozen=True)
class Source:
    """Everything that counts, sorted by group and label."""

    root: Path
    """Project root here; never written down."""
    files: tuple[SourceFile, ...]
    wanted: Wanted = field(default=Wanted(), compare=False, repr=False)
    """What it was gathered from, so that it can be gathered again."""

    def facts(self) -> dict[str, Any]:
        """Give the facts for the identity: each user file by its label, one digest for samerun and for each package."""
        user = {file.label: file.meaning for file in self.of(USER)}
        packages = sorted({file.group for file in self.files} - {USER, OWN, RULE})
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
        flagged = (replace(file, is_late=True, why="late") for file in more)
        return replace(self, files=_sorted([*self.files, *flagged]))

    def with_ruled(self, ruled: Iterable[SourceFile]) -> Source:
        """Add files that a rule of the project names; they are no facts."""
        return replace(self, files=_sorted([*self.files, *ruled]))

    def again(self) -> Source:
        """Gather it anew, as it is now."""
        return gathered(self.root, self.wanted)

    def changed(self) -> list[SourceFile]:
        """List the files of the project that are not as they were when they were read: written since then, or gone."""
        own = (file for file in self.files if file.group in (USER, RULE))
        return [file for file in own if _is_written(file) and content_now(file) != file.content]


def _is_written(file: SourceFile) -> bool:
    return file.path is not None and file.mark is not None and mark_of(file.path) != file.mark


def content_now(file: SourceFile) -> str | None:
    """Digest the bytes of a file as they are now; None where it cannot be read any more."""
    try:
        return None if file.path is None else sha256(read_file(file.path).data)
    except (OSError, SamerunError):
        return None


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


def gather(
    root: Path,
    entries: Sequence[Path] = (),
    *,
    own_modules: Sequence[str] = (),
    packages: Sequence[str] = (),
    cells: Mapping[str, bytes] | None = None,
    why: str = "entry",
) -> Source:
    """Find and digest the source of a run.

    root: project root. entries: the script, or the user's own modules that a recipe names; `why` says which.
    own_modules: see own_closure. packages: installed packages that provide a part. cells: label -> text of source
    without a file. Docstrings count where any file of the user reads docstrings. Raises UsageError SR-SOURCE-002 for a
    file that cannot be read.
    """
    texts = tuple((cells or {}).items())
    return gathered(root.resolve(), Wanted(tuple(entries), tuple(own_modules), tuple(packages), texts, why))


def gathered(root: Path, wanted: Wanted) -> Source:
    """Find and digest what is `wanted` of the project at `root`: see `gather`."""
    cache = MeaningCache.open(cache_folder())
    elsewhere = local_bases(root)
    read = read_closure(wanted.entries, root, elsewhere=elsewhere, cache=cache) if wanted.entries else {}
    starts = {path.resolve() for path in wanted.entries}
    user: list[tuple[str, Path | None, FileRead, str]] = [
        (_label(path, root, elsewhere), path, one, wanted.why if path in starts else "imported")
        for path, one in read.items()
    ]
    user += [(label, None, FileRead(text, (0, 0, 0, 0)), "cell") for label, text in wanted.cells]
    found = _user_files(user, cache)
    base = own_folder().parent
    for path, one in own_closure(wanted.own_modules, cache=cache).items():
        meaning = cache.meaning(one.data)
        found.append(_file(OWN, path.relative_to(base).as_posix(), path, one, meaning, with_docs=False, why="own"))
    for name in wanted.packages:
        files = (_read_file(name, label, path, cache) for label, path in package_files(name))
        found += [replace(file, text=None, why="package") for file in files]
    cache.save()
    return Source(root, _sorted(found), wanted)


def _user_files(user: Sequence[tuple[str, Path | None, FileRead, str]], cache: MeaningCache) -> list[SourceFile]:
    meanings = [cache.meaning(one.data) for _, _, one, _ in user]
    with_docs = any(meaning.reads_docs for meaning in meanings)
    return [
        _file(USER, label, path, one, meaning, with_docs=with_docs, why=why)
        for (label, path, one, why), meaning in zip(user, meanings, strict=True)
    ]


def _file(
    group: str, label: str, path: Path | None, one: FileRead, meaning: Meaning, *, with_docs: bool, why: str
) -> SourceFile:
    digest = meaning.documented if with_docs else meaning.code
    return SourceFile(
        group=group,
        label=label,
        kind=meaning.kind,
        meaning=digest,
        content=sha256(one.data),
        size_bytes=len(one.data),
        path=path,
        text=one.data if len(one.data) <= MODULE_LIMIT else None,
        why=why,
        mode=one.mode,
        link=one.link,
        mark=None if path is None else one.mark,
    )


def _read_file(group: str, label: str, path: Path, cache: MeaningCache | None = None) -> SourceFile:
    size = path.stat().st_size
    if size > MODULE_LIMIT:
        digest = sha256_file(path)
        return SourceFile(group, label, "bytes", digest, digest, size, path)
    one = read_file(path)
    if path.suffix == ".py":
        meaning = (cache or MeaningCache(None)).meaning(one.data)
        return _file(group, label, path, one, meaning, with_docs=False, why="imported")
    digest = sha256(one.data)
    return SourceFile(
        group, label, "bytes", digest, digest, size, path, one.data, mode=one.mode, link=one.link, mark=one.mark
    )


def _label(path: Path, root: Path, elsewhere: Sequence[Path] = ()) -> str:
    label = _short_path(path, root, elsewhere)
    if "\\" in label or not is_unicode(label):
        raise UsageError(
            "SR-RECORD-026",
            f"{label!a}: the name of this source file is no Unicode text, or holds a backslash: no record can hold it",
            do="rename the file in UTF-8",
        )
    return label


def _short_path(path: Path, root: Path, elsewhere: Sequence[Path]) -> str:
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    for base in elsewhere:
        if path.is_relative_to(base):
            return f"{ELSEWHERE}/{path.relative_to(base).as_posix()}"
    return f"{ELSEWHERE}/{path.name}"


def _sorted(found: Iterable[SourceFile]) -> tuple[SourceFile, ...]:
    unique: dict[tuple[str, str], SourceFile] = {}
    named: dict[tuple[str, str], SourceFile] = {}
    for file in found:
        # Files of rules lie in the project beside the modules, so that they share one space of names.
        _refuse_one_name(named.setdefault((USER if file.group == RULE else file.group, file.label), file), file)
        unique[file.group, file.label] = file
    return tuple(unique[key] for key in sorted(unique))


def _refuse_one_name(one: SourceFile, other: SourceFile) -> None:
    if one.path != other.path and one.content != other.content:
        raise UsageError(
            "SR-RECORD-026",
            f"{one.label}: two source files would be recorded under this name",
            evidence=[printable(str(file.path or "a cell of a notebook")) for file in (one, other)],
            do="rename one of them, or put the folder that it is imported from on the import path",
        )
