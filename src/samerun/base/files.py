"""The only writer of files. After every call a reader finds the old content or the new one, whole, also after a kill.

Each single operation passes the fault seam first (`on_operation`), so that tests can make any of them fail or end the
process there. A full disk is SR-FILE-001, a folder that refuses writes SR-FILE-002, a failing disk SR-FILE-003; other
OSErrors (a file that is or is not there) pass unchanged, except where a folder is made.
Locks live in lock.py, documents with a digest in sealed.py.
"""

from __future__ import annotations

import errno
import itertools
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from samerun.base.digest import Sha256
from samerun.base.text import human_bytes
from samerun.errors import DamageError, MissingError

if TYPE_CHECKING:
    from typing_extensions import Buffer

OPERATIONS = ("write", "fsync", "rename", "mkdir", "unlink")
_NO_ROOM = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT})
_NO_RIGHT = frozenset({errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG})
_FAILED = frozenset({errno.EIO, errno.ENXIO, errno.ENODEV, errno.ESTALE, errno.EREMOTEIO, errno.ETIMEDOUT})
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})

_COPY_BYTES = 1 << 20

_hook: Callable[[str, Path], None] | None = None
_serial = itertools.count()


def on_operation(hook: Callable[[str, Path], None] | None) -> None:
    """Call `hook(operation, path)` before each operation (OPERATIONS) from now on; None takes it off.

    For tests of faults: the hook may raise OSError or end the process. `rename` covers links too: both publish a name.
    """
    global _hook
    _hook = hook


def _at(operation: str, path: Path) -> None:
    if _hook is not None:
        _hook(operation, path)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn the OSErrors of a full, closed or failing disk into ours, naming `path`."""
    try:
        yield
    except OSError as problem:
        refusal = _explain(problem, path)
        if refusal is None:
            raise
        raise refusal from problem


def _explain(problem: OSError, path: Path) -> MissingError | None:
    if problem.errno in _NO_ROOM:
        return MissingError(
            "SR-FILE-001",
            f"no room to write {path.as_posix()}",
            evidence=[f"{os.strerror(problem.errno or 0)}; free there: {free_text(path)}"],
            do="free some space (`samerun gc` shows what can go), then resume: what was complete before is still whole",
        )
    if problem.errno in _NO_RIGHT:
        return _cannot_write(path, problem)
    if problem.errno in _FAILED:
        return MissingError(
            "SR-FILE-003",
            f"the disk failed while {path.as_posix()} was written",
            evidence=[os.strerror(problem.errno or 0)],
            do="look at the system's log; resume from another disk: what was complete before is still whole",
        )
    return None


def _cannot_write(path: Path, problem: OSError | ValueError) -> MissingError:
    why = problem.strerror if isinstance(problem, OSError) else None
    return MissingError(
        "SR-FILE-002",
        f"{path.as_posix()!a} cannot be written" if why is None else f"{path.as_posix()} cannot be written",
        evidence=[why or str(problem)],
        do="make the folder writable, or name another one with --runs DIR",
    )


def free_text(path: Path) -> str:
    """Return the free bytes of the file system that holds `path` (or its nearest existing parent), in words."""
    for folder in (path, *path.parents):
        with suppress(OSError):
            facts = os.statvfs(folder)
            free = facts.f_bavail * facts.f_frsize
            return f"{free} bytes ({human_bytes(free)})"
    return "unknown"


def hidden_sibling(path: Path) -> Path:
    """Return an unused hidden name beside `path`, for work that a rename will publish. `is_rubble` knows such names."""
    while True:
        sibling = path.parent / f".{path.name[:50]}.{os.getpid()}-{next(_serial)}.tmp"
        if not os.path.lexists(sibling):
            return sibling


def is_rubble(name: str) -> bool:
    """Whether a file or folder name is one of `hidden_sibling`: left behind by a kill, never part of a record."""
    return name.startswith(".") and name.endswith(".tmp")


def write_new(path: Path, data: Buffer, mode: int = 0o666) -> None:
    """Create a file that must not exist yet (else FileExistsError), fsynced; it appears whole or not at all.

    `mode` is lessened by the umask, as for any new file.
    """
    with explained(path):
        temporary = hidden_sibling(path)
        try:
            _write_fsynced(temporary, [data], mode)
            _publish(temporary, path)
        finally:
            _discard(temporary)
        sync_dir(path.parent)


def open_new(path: Path) -> int:
    """Create an empty file and return its descriptor, for what a process prints; whoever asked closes it."""
    with explained(path):
        _at("write", path)
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)


def _publish(temporary: Path, path: Path) -> None:
    _at("rename", path)
    try:
        os.link(temporary, path)
    except OSError as problem:
        if problem.errno not in _NO_LINKS:
            raise
        # No hard links here (exFAT, some FUSE): the exclusive claim stays, the all-or-nothing is lost.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666))
        os.rename(temporary, path)


def replace(path: Path, data: Buffer) -> None:
    """Put `data` in place of the file at once: hidden sibling, fsync, rename, fsync of the folder."""
    with explained(path):
        temporary = hidden_sibling(path)
        try:
            _write_fsynced(temporary, [data])
            _at("rename", path)
            os.rename(temporary, path)
        except BaseException:
            _discard(temporary)
            raise
        sync_dir(path.parent)


def write_chunks(path: Path, chunks: Iterable[Buffer]) -> tuple[int, str]:
    """Write chunks to a new file, hashing on the way, and fsync it; return (bytes, "sha256:...").

    The file is visible while it grows: write inside a hidden folder and rename that. An existing file is refused
    (FileExistsError); a failed write leaves a partial file for the caller's folder to take away.
    """
    with explained(path):
        return _write_fsynced(path, chunks)


def _write_fsynced(path: Path, chunks: Iterable[Buffer], mode: int = 0o666) -> tuple[int, str]:
    running, size = Sha256(), 0
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        for chunk in chunks:
            view = memoryview(chunk).cast("B")
            _at("write", path)
            _write_all(fd, view)
            running.update(view)
            size += len(view)
        _at("fsync", path)
        os.fsync(fd)
    finally:
        os.close(fd)
    return size, running.value


def _write_all(fd: int, view: memoryview) -> None:
    # One write() takes at most 2 GiB, and may take less when a signal comes.
    while len(view):
        view = view[os.write(fd, view) :]


def _discard(temporary: Path) -> None:
    with suppress(OSError):
        os.unlink(temporary)


def make_dir(path: Path, *, exclusive: bool = False) -> None:
    """Make a folder and its missing parents, durably. `exclusive`: it must not exist yet (else FileExistsError).

    Every other fault is a MissingError: SR-FILE-002 where the system's reason is none of the module's three.
    """
    try:
        _make_all(path, exclusive)
    except FileExistsError:
        raise
    except (OSError, ValueError) as problem:
        # Also what sounds like a file that is not there: ENOENT is how /proc refuses a new folder.
        raise _cannot_write(path, problem) from problem


def _make_all(path: Path, exclusive: bool) -> None:
    with explained(path):
        missing = list(itertools.takewhile(lambda folder: not folder.is_dir(), path.parents))
        for folder in reversed(missing):
            _make_one(folder, exist_ok=True)
        if exclusive or not path.is_dir():
            _make_one(path, exist_ok=not exclusive)


def _make_one(path: Path, *, exist_ok: bool) -> None:
    _at("mkdir", path)
    try:
        os.mkdir(path)
    except FileExistsError:
        if not exist_ok:
            raise
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from None
        return
    sync_dir(path.parent)


def rename(source: Path, target: Path) -> None:
    """Rename within one file system, replacing a file that stands there, then fsync the folders concerned."""
    with explained(target):
        _at("rename", target)
        os.rename(source, target)
        sync_dir(target.parent)
        if source.parent != target.parent:
            sync_dir(source.parent)


def copy(source: Path, target: Path) -> None:
    """Copy a file to a place that must not exist yet (else FileExistsError), fsynced."""
    with source.open("rb") as file:
        write_chunks(target, iter(lambda: file.read(_COPY_BYTES), b""))


def link(source: Path, target: Path) -> None:
    """Give a file that nobody changes in place a second name; a copy where the file system has no hard links."""
    with explained(target):
        _at("rename", target)
        try:
            os.link(source, target)
            return
        except OSError as problem:
            if problem.errno not in _NO_LINKS | {errno.EXDEV}:
                raise
    copy(source, target)


def symlink(target: str, path: Path) -> None:
    """Make a symbolic link that must not exist yet (else FileExistsError); where it leads is the caller's to check."""
    with explained(path):
        _at("rename", path)
        os.symlink(target, path)
        sync_dir(path.parent)


def remove(path: Path) -> None:
    """Delete a file, a link or a whole folder; what is not there is no error. Links are not followed.

    A folder is renamed to a hidden name first: a kill in the middle leaves rubble, never half of something.
    """
    with explained(path):
        try:
            is_folder = stat.S_ISDIR(os.lstat(path).st_mode)
        except FileNotFoundError:
            return
        if not is_folder:
            _unlink(path)
            sync_dir(path.parent)
            return
        doomed = path if is_rubble(path.name) else hidden_sibling(path)
        if doomed != path:
            rename(path, doomed)
        _remove_tree(doomed)
        sync_dir(path.parent)


def _unlink(path: Path) -> None:
    _at("unlink", path)
    with suppress(FileNotFoundError):
        os.unlink(path)


def _remove_tree(folder: Path) -> None:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir(follow_symlinks=False):
            _remove_tree(Path(entry.path))
        else:
            _unlink(Path(entry.path))
    _at("unlink", folder)
    os.rmdir(folder)


def sync_dir(path: Path) -> None:
    """Make the names in a folder durable (fsync of the folder); file systems that cannot are left alone."""
    with explained(path):
        _at("fsync", path)
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        except OSError as problem:
            if problem.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(fd)


def cut(path: Path, length: int) -> None:
    """Shorten a file to `length` bytes, durably. A file shorter than that is damage (SR-DAMAGE-004), never padded."""
    with explained(path):
        size = path.stat().st_size
        if size < length:
            raise DamageError(
                "SR-DAMAGE-004",
                f"{path.as_posix()} is shorter than it was",
                evidence=[f"{size} bytes now, {length} bytes at the checkpoint"],
                do="restore the file from a copy; `samerun verify RUN --files` lists all damage",
            )
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            _at("write", path)
            os.ftruncate(fd, length)
            _at("fsync", path)
            os.fsync(fd)
        finally:
            os.close(fd)


class Appender:
    """One file that only grows. Rows reach the system at once (a kill loses none), the disk at `sync`.

    A row that cannot be written whole is taken back, so that the file still ends where the row before it ended.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with explained(path):
            self._is_new = not path.exists()
            _at("write", path)
            self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
            self.size = os.fstat(self._fd).st_size
            """Bytes in the file."""

    def append(self, data: bytes) -> None:
        """Write one row at the end. Raises MissingError as the module says; the file is then as it was."""
        try:
            if _hook is not None:
                _hook("write", self.path)
            written = os.write(self._fd, data)
            if written < len(data):
                _write_all(self._fd, memoryview(data)[written:])
        except OSError as problem:
            with suppress(OSError):
                os.ftruncate(self._fd, self.size)
            raise _explain(problem, self.path) or problem from problem
        self.size += len(data)

    def sync(self) -> None:
        """Make all rows durable, and the name of a new file too."""
        with explained(self.path):
            _at("fsync", self.path)
            os.fsync(self._fd)
            if self._is_new:
                sync_dir(self.path.parent)
                self._is_new = False

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
