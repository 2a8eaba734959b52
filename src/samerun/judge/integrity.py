"""Every file of a run folder against its digest: documents, submitted recipe, source, logs, checkpoints, what was kept.

A file that no digest covers is a problem as well: nothing is accepted because a check is missing. Reads bytes, never
tensors, and changes nothing. Whether two whole runs are equal is diff.py's question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from samerun.base.digest import sha256_file
from samerun.base.files import is_rubble
from samerun.base.sealed import read_sealed
from samerun.checkpoint import format as names
from samerun.checkpoint.index import read_index
from samerun.errors import SamerunError
from samerun.judge.brought import brought_files, check_brought, check_last
from samerun.record import layout
from samerun.record.reader import RunRecord
from samerun.record.resolved import read_submitted
from samerun.record.rowchain import LogMark, walk_rows
from samerun.record.source_read import read_source

LOCKS: Final = frozenset({layout.LOCK, layout.LOCK_OWNER})

OTHERS: Final = (layout.ENVIRONMENT, layout.DRIFT, layout.VERIFICATION, layout.LOCAL, layout.MARKS)


@dataclass(frozen=True)
class Problem:
    """One file that is not what was written."""

    file: str
    """Path inside the run folder, forward slashes."""
    code: str
    what: str
    evidence: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}: {self.what}"


@dataclass(frozen=True)
class Check:
    """The files that one check covers, and the check: it raises where they are not what was written."""

    file: str
    run: Callable[[], object]
    covers: tuple[str, ...] = ()


def check_files(record: RunRecord) -> list[Problem]:
    """Check every file of a run folder; an empty list means that all of them are what was written.

    Also works on a live run, whose logs are checked as far as they go. Problems come in the order of the files.
    """
    checks = [*_documents(record), *_logs(record), *_checkpoints(record.folder), *_kept(record.folder)]
    checks += [Check(layout.CHECKPOINTS, partial(check_last, record)), *_brought(record.folder)]
    problems = [problem for check in checks for problem in _outcome(check)]
    covered = {path for check in checks for path in (check.file, *check.covers)}
    return sorted([*problems, *_uncovered(record.folder, covered)], key=lambda problem: problem.file)


def _outcome(check: Check) -> Iterator[Problem]:
    try:
        check.run()
    except SamerunError as error:
        yield Problem(check.file, error.code, error.what, error.evidence)
    except OSError as error:
        yield Problem(check.file, "SR-JUDGE-002", f"it cannot be read: {error.strerror or error}")


def _documents(record: RunRecord) -> Iterator[Check]:
    folder = record.folder
    yield Check(layout.MANIFEST, lambda: RunRecord.open(folder))
    yield Check(layout.IDENTITY, lambda: record.identity)
    submitted = [path.name for path in folder.glob("recipe.submitted.*")]
    yield Check(layout.CONFIG, lambda: read_submitted(folder, record.config), tuple(submitted))
    yield Check(layout.SOURCE, partial(_source, record), (layout.SOURCE_FILES, layout.SOURCE_PATCH))
    if record.has(layout.DATA) or layout.DATA in _always(record):
        yield Check(layout.DATA, record.data, (layout.DATA_FILES,))
    for name in OTHERS:
        if record.has(name) or (name in _always(record)):
            yield Check(name, partial(record.document, name))
    for path in sorted((folder / layout.EVALUATIONS).glob("*.json")):
        yield Check(_relative(folder, path), partial(read_sealed, path))


def check_documents(record: RunRecord) -> None:
    """Raise DamageError SR-RECORD-022 for the first document that this run must have and has not."""
    for name in _always(record):
        if not record.has(name):
            record.document(name)


def _always(record: RunRecord) -> tuple[str, ...]:
    """Name the documents that this run must have: one that was made elsewhere has neither source nor environment."""
    try:
        grade, inputs = record.manifest.grade, record.identity.experiment.get("inputs")
    except SamerunError:
        return ()  # said by the check of that file
    if grade == "external":
        return ()
    return (layout.SOURCE, layout.ENVIRONMENT, *((layout.DATA,) if inputs else ()))


def _source(record: RunRecord) -> None:
    if layout.SOURCE not in _always(record) and not record.has(layout.SOURCE):
        return
    read_source(record.folder)


def _logs(record: RunRecord) -> Iterator[Check]:
    for name in (*layout.LOGS, layout.HOOKS_DONE):
        files = tuple(layout.log_part_name(name, part) for part in layout.log_parts(record.folder, name))
        yield Check(layout.log_part_name(name, 0), partial(_exhaust, record.bodies(name)), files)


def _exhaust(bodies: Iterator[bytes]) -> None:
    for _ in bodies:
        pass


def _checkpoints(folder: Path) -> Iterator[Check]:
    place = folder / layout.CHECKPOINTS
    kept = sorted(_folders(place)) + sorted(_folders(place / names.WEIGHTS))
    for path in kept:
        files = tuple(_relative(folder, file) for file in sorted(path.iterdir()))
        yield Check(_relative(folder, path / names.INDEX), partial(_checkpoint, folder, path), files)
    for path in sorted((place / names.DIGESTS).glob("*.json")):
        yield Check(_relative(folder, path), partial(read_sealed, path))
    for path in sorted((place / names.CHUNKS).glob("*.safetensors")):
        yield Check(_relative(folder, path), partial(_named_by_digest, path, f"sha256:{path.stem}"))


def _folders(place: Path) -> list[Path]:
    found = place.iterdir() if place.is_dir() else iter(())
    return [path for path in found if path.is_dir() and names.parse_step(path.name) is not None]


def _checkpoint(folder: Path, path: Path) -> None:
    """Check index, files and chunks of a checkpoint, and that the logs still reach what it stored of them."""
    index = read_index(path).index
    extra = {file.name for file in path.iterdir()} - {*index.files, names.INDEX}
    if extra:
        raise names.file_damage(f"{path.name}/{min(extra)}", "the index does not list it")
    for name, facts in sorted(index.files.items()):
        _file_facts(path / name, facts)
    for component in index.components.values():
        for chunk in component.chunks:
            _named_by_digest(path.parent / names.CHUNKS / f"{chunk.removeprefix('sha256:')}.safetensors", chunk)
    for log, mark in sorted(index.logs.items()):
        for _ in walk_rows(folder, log, until=LogMark.from_json(mark, f"{path.name}/{names.INDEX}")):
            pass


def _file_facts(path: Path, facts: names.FileFacts) -> None:
    where = f"{path.parent.name}/{path.name}"
    if path.is_symlink() or not path.is_file():
        raise names.file_damage(where, "it is missing, or no plain file")
    size = path.stat().st_size
    if size != facts.size:
        raise names.file_damage(
            where, "it has another size than when it was written", f"{facts.size} stored, {size} found"
        )
    _named_by_digest(path, facts.sha256)


def _named_by_digest(path: Path, digest: str) -> None:
    found = sha256_file(path) if path.is_file() else "nothing"
    if found != digest:
        where = f"{path.parent.name}/{path.name}"
        raise names.file_damage(
            where, "its bytes are not those that were written", f"stored: {digest}", f"found: {found}"
        )


def _brought(folder: Path) -> Iterator[Check]:
    if (folder / layout.UNPACKED).is_file():
        files = tuple(_relative(folder, path) for path in brought_files(folder))
        yield Check(layout.UNPACKED, partial(check_brought, folder), files)


def _kept(folder: Path) -> Iterator[Check]:
    """Rows that a resume took out of the logs: each file is named by the digest of its bytes."""
    for path in sorted((folder / layout.ATTEMPTS).glob("*/*.jsonl")):
        promised = layout.kept_digest(path.name)
        if promised is not None:
            yield Check(_relative(folder, path), partial(_kept_rows, path, promised))


def _kept_rows(path: Path, promised: str) -> None:
    found = sha256_file(path).removeprefix("sha256:")
    if not found.startswith(promised):
        raise names.file_damage(path.name, "its bytes are not those of its name", f"found: {found[: len(promised)]}")


def _uncovered(folder: Path, covered: set[str]) -> Iterator[Problem]:
    for path in sorted(folder.rglob("*")):
        relative = _relative(folder, path)
        is_hidden = any(is_rubble(part) for part in Path(relative).parts)
        if (path.is_dir() and not path.is_symlink()) or is_hidden or relative in covered or relative in LOCKS:
            continue
        yield Problem(relative, "SR-JUDGE-001", "no digest covers it, so it is no part of this record")


def _relative(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()
