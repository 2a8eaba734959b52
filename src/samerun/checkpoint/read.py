"""Reading a checkpoint: every byte is compared with the index, or a DamageError names the file and the reason.

Loading runs no code and follows no name, path or link from a file. Which checkpoint to read is store.py's question;
what to do with the trees is the caller's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samerun.base.digest import sha256
from samerun.base.lock import shared_lock
from samerun.base.sealed import unseal
from samerun.checkpoint import tensorfile
from samerun.checkpoint.format import FORMAT, STATE, Index, file_damage, tensor_file
from samerun.checkpoint.index import CheckpointInfo, open_file, read_index, read_whole
from samerun.errors import DamageError
from samerun.state.digest import digest_tree
from samerun.state.join import unpack
from samerun.state.packed import Packed


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint in memory."""

    path: Path
    index: Index
    components: Mapping[str, Packed] = field(repr=False)

    @property
    def step(self) -> int:
        """Completed steps before it."""
        return self.index.step

    @property
    def identity(self) -> str:
        """Identity of the run that wrote it."""
        return self.index.identity

    @property
    def logs(self) -> Mapping[str, Any]:
        """Where each log ended, as `write_checkpoint` was told."""
        return self.index.logs

    @property
    def extra(self) -> Any:
        """The caller's own JSON."""
        return self.index.extra

    @property
    def digests(self) -> dict[str, str]:
        """Digest of each component."""
        return {name: facts.digest for name, facts in self.index.components.items()}

    @property
    def leaf_digests(self) -> dict[str, dict[str, str]]:
        """Digest of each leaf of each component."""
        return {name: dict(facts.leaves) for name, facts in self.index.components.items()}

    def tree(self, name: str) -> Any:
        """Return the state of a component. Its tensors are this checkpoint's memory: hand it to one object only."""
        return unpack(self.components[name])

    def trees(self) -> dict[str, Any]:
        """Return the state of every component."""
        return {name: self.tree(name) for name in self.components}


def read_checkpoint(path: Path, *, verify: bool = True) -> Checkpoint:
    """Read one checkpoint folder into memory, under a lock that retention respects.

    Raises DamageError with file and reason, NoMatchError where there is no such folder. `verify=False` leaves out the
    digests of tensor files and trees (a second reading of something just verified); headers and sizes always count.
    """
    try:
        with shared_lock(path):
            return read_unlocked(read_index(path), verify=verify)
    except (FileNotFoundError, NotADirectoryError):
        return read_unlocked(read_index(path), verify=verify)  # says what is wrong with the path


def read_unlocked(info: CheckpointInfo, *, verify: bool = True) -> Checkpoint:
    """Read a checkpoint as `read_checkpoint` does, for a caller that holds a lock on its folder already."""
    described = _read_state(info)
    components = {name: _read_component(info, name, described[name], verify) for name in info.index.components}
    return Checkpoint(info.path, info.index, components)


def _read_state(info: CheckpointInfo) -> dict[str, Any]:
    where = f"{info.path.name}/{STATE}"
    data = read_whole(info.path / STATE, where)
    facts = info.index.files[STATE]
    if len(data) != facts.size or sha256(data) != facts.sha256:
        raise file_damage(where, "its bytes are not those that were written", *_both(facts.size, len(data)))
    document = unseal(data, where)
    described = document.get("components")
    if document.get("format") != FORMAT or not isinstance(described, dict):
        raise file_damage(where, "it does not describe components in this format")
    if set(described) != set(info.index.components):
        raise file_damage(where, "it describes other components than the index")
    return described


def _read_component(info: CheckpointInfo, name: str, described: Any, verify: bool) -> Packed:
    where = f"{info.path.name}/{tensor_file(name)}"
    wanted = info.index.components[name].digest
    with _misfits_named(f"{info.path.name}/{STATE}", name):
        structure, layout = described["structure"], described["layout"]
        entries = tensorfile.specs(structure, layout)
    packed = Packed(structure, _read_file(info, name, entries, where, verify), layout)
    with _misfits_named(f"{info.path.name}/{STATE}", name):
        found = digest_tree(unpack(packed)) if verify else wanted
    if found != wanted:
        raise file_damage(where, "its state is not the one that was saved", f"stored: {wanted}", f"found: {found}")
    return packed


@contextmanager
def _misfits_named(where: str, component: str) -> Iterator[None]:
    """Name file and component where a structure, whose file is whole, describes what cannot be."""
    try:
        yield
    except DamageError as problem:
        raise file_damage(where, f"what it says of {component!r} cannot be", problem.what) from problem
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError) as problem:
        told = f"{type(problem).__name__}: {problem}"
        raise file_damage(where, f"what it says of {component!r} cannot be", told) from problem


def _read_file(
    info: CheckpointInfo, name: str, entries: list[tensorfile.Spec], where: str, verify: bool
) -> dict[str, Any]:
    facts = info.index.files.get(tensor_file(name))
    if facts is None:
        if entries:
            raise file_damage(where, "the index does not list it, and its component has tensors")
        return {}
    with open(open_file(info.path / tensor_file(name), where), "rb", buffering=0) as file:
        size = file.seek(0, 2)
        file.seek(0)
        if size != facts.size:
            raise file_damage(where, "it has another size than when it was written", *_both(facts.size, size))
        _check_promise(entries, size, f"{info.path.name}/{STATE}", name)
        tensors, digest = tensorfile.read_tensors(file, tensorfile.component_note(name), entries, where)
    if verify and digest != facts.sha256:
        raise file_damage(
            where, "its bytes are not those that were written", f"stored: {facts.sha256}", f"found: {digest}"
        )
    return tensors


def _check_promise(entries: list[tensorfile.Spec], size: int, where: str, component: str) -> None:
    """Refuse, before memory is taken, a structure of negative shapes or more bytes than the file has."""
    with _misfits_named(where, component):
        promised = [spec.nbytes for spec in entries]
        if any(min(spec.shape, default=0) < 0 for spec in entries) or sum(promised) > size:
            raise ValueError(f"{len(promised)} tensors of {sum(promised)} bytes in a file of {size}")


def _both(stored: int, found: int) -> tuple[str, str]:
    return f"stored: {stored} bytes", f"found: {found} bytes"
