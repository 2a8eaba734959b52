"""Writing a checkpoint: all of it or nothing, also when the process or the machine dies at any instruction.

Files go into a hidden folder, are fsynced, read back and compared; the index comes last; then one rename publishes
the folder. Deciding when to save is run/'s work, deleting old ones retain.py's, saving in the background save.py's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from samerun.base import files
from samerun.base.canon import canonical_bytes
from samerun.base.sealed import seal
from samerun.checkpoint import tensorfile
from samerun.checkpoint.beside import Beside
from samerun.checkpoint.describe import describe
from samerun.checkpoint.filewriter import write_verified
from samerun.checkpoint.format import (
    FORMAT,
    INDEX,
    STATE,
    FileFacts,
    Index,
    aside_name,
    check_components,
    step_name,
    tensor_file,
)
from samerun.checkpoint.index import CheckpointInfo, read_index
from samerun.checkpoint.read import read_checkpoint
from samerun.errors import DamageError, SamerunError
from samerun.state.packed import Packed


def write_checkpoint(
    folder: Path,
    step: int,
    components: Mapping[str, Packed],
    *,
    identity: str,
    logs: Mapping[str, Any] | None = None,
    extra: Any = None,
    chunks: Mapping[str, Sequence[str]] | None = None,
) -> CheckpointInfo:
    """Write the state before `step` into `folder/step-<step>` and return what its index says.

    `logs` says where each log ends, `extra` is the caller's JSON, `chunks` names the immutable pieces (`write_chunk`)
    that belong to a component. A checkpoint of this step that holds exactly this is kept as it is; another one is
    replaced without an instant in which neither exists. The caller holds the run's lock.
    Raises MissingError (SR-FILE-001, -002) for a full disk or a folder that refuses; nothing is then left behind.
    """
    check_components(components)
    files.make_dir(folder)
    target = folder / step_name(step)
    described = Beside(lambda: describe(folder, components, chunks or {}), f"samerun-describe-{step}")
    try:
        standing = _standing(target)
        if standing is not None:
            wanted = Index(step, identity, described.result(), standing.index.files, logs or {}, extra)
            if _is_same(standing.index, wanted) and _is_whole(target):
                return standing
        temporary = files.hidden_sibling(target)
        try:
            files.make_dir(temporary, exclusive=True)
            written = _write_components(temporary, components)
            index = Index(step, identity, described.result(), written, logs or {}, extra)
            # ORDER: the index file is written last; its presence is what makes this a checkpoint.
            sealed = seal(index.document())
            write_verified(temporary / INDEX, [sealed], len(sealed))
            files.sync_dir(temporary)
            _publish(temporary, target, step)
        except BaseException:
            with suppress(OSError, SamerunError):
                files.remove(temporary)
            raise
    finally:
        described.wait()  # it reads the tensors, which are the caller's again once this returns
    return CheckpointInfo(target, index)


def _standing(target: Path) -> CheckpointInfo | None:
    if not target.is_dir():
        return None
    try:
        return read_index(target)
    except DamageError:
        return None


def _is_same(standing: Index, wanted: Index) -> bool:
    return canonical_bytes(standing.document()) == canonical_bytes(wanted.document())


def _is_whole(target: Path) -> bool:
    try:
        read_checkpoint(target)
    except DamageError:
        return False
    return True


def _write_components(folder: Path, components: Mapping[str, Packed]) -> dict[str, FileFacts]:
    written: dict[str, FileFacts] = {}
    for name, packed in components.items():
        if packed.tensors:
            path = folder / tensor_file(name)
            written[path.name] = write_verified(
                path, tensorfile.blocks(tensorfile.component_note(name), packed), packed.nbytes
            )
    described = {name: {"structure": p.structure, "layout": p.layout} for name, p in components.items()}
    sealed = seal({"format": FORMAT, "components": described})
    written[STATE] = write_verified(folder / STATE, [sealed], len(sealed))
    return written


def _publish(temporary: Path, target: Path, step: int) -> None:
    if not target.exists():
        files.rename(temporary, target)
        return
    # A folder cannot be renamed over another one. A kill between the two renames leaves the old one under a name that
    # store.py still counts.
    aside = target.with_name(aside_name(step))
    files.remove(aside)
    files.rename(target, aside)
    files.rename(temporary, target)
    files.remove(aside)
