"""One checkpoint's index, read and checked; tensors are not read. Needs no torch.

Which checkpoints a folder holds is store.py's, reading the rest of one read.py's.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from samerun.base.sealed import unseal
from samerun.checkpoint.format import INDEX, Index, file_damage, index_damage, parse_aside, parse_index, parse_step
from samerun.errors import NoMatchError


@dataclass(frozen=True)
class CheckpointInfo:
    """A checkpoint as its index describes it; tensors are not read."""

    path: Path
    index: Index
    skipped: tuple[str, ...] = ()
    """Of `newest_good`: what was wrong with each newer checkpoint, newest first."""

    @property
    def step(self) -> int:
        """Completed steps before it."""
        return self.index.step

    @property
    def identity(self) -> str:
        """Identity of the run that wrote it."""
        return self.index.identity

    @property
    def digests(self) -> dict[str, str]:
        """Digest of each component."""
        return {name: facts.digest for name, facts in self.index.components.items()}

    @property
    def leaf_digests(self) -> dict[str, dict[str, str]]:
        """Digest of each leaf of each component."""
        return {name: dict(facts.leaves) for name, facts in self.index.components.items()}

    @property
    def nbytes(self) -> int:
        """Bytes of its files, the index and shared chunks not counted."""
        return sum(facts.size for facts in self.index.files.values())


def open_file(path: Path, where: str) -> int:
    """Open a regular file for reading and return its descriptor. A link, a folder or nothing there is DamageError."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise file_damage(where, "it is missing") from None
    except OSError as problem:
        if not path.is_symlink():
            raise
        raise file_damage(where, "it is a link; a checkpoint holds files only") from problem
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise file_damage(where, "it is no regular file")
    return fd


def read_whole(path: Path, where: str) -> bytes:
    """Return the bytes of a regular file; errors as `open_file`."""
    with open(open_file(path, where), "rb") as file:
        return file.read()


def read_index(path: Path) -> CheckpointInfo:
    """Read and check the index of one checkpoint folder. Raises DamageError naming file and reason.

    NoMatchError (SR-CHECKPOINT-020) where there is no such folder.
    """
    if path.is_symlink():
        raise file_damage(path.name, "it is a link; a checkpoint is a folder")
    if not path.is_dir():
        raise NoMatchError(
            "SR-CHECKPOINT-020", f"{path.as_posix()} is no checkpoint", do="samerun show RUN lists those of a run"
        )
    aside = parse_aside(path.name)
    step = parse_step(path.name) if aside is None else aside
    where = f"{path.name}/{INDEX}"
    if step is None:
        raise index_damage(where, "its folder is not called step- and eight digits or more")
    return CheckpointInfo(path, parse_index(unseal(read_whole(path / INDEX, where), where), step, where))
