"""Starting weights of a run (`init:` in a recipe): from a safetensors file, a hub snapshot, or a checkpoint of a run.

Weights only: the run begins at step 0 with a fresh optimizer. The digest of what is read becomes part of the identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError
from safetensors.torch import load_file

from samerun.checkpoint.format import tensor_file
from samerun.checkpoint.index import CheckpointInfo
from samerun.checkpoint.read import read_checkpoint
from samerun.checkpoint.store import find, latest
from samerun.config.schema import InitTable
from samerun.errors import MissingError, NoMatchError, SamerunError
from samerun.record import layout
from samerun.record.find import find_run

if TYPE_CHECKING:
    from samerun.run.run import Run

COMPONENT = "model"
WEIGHTS_FILE = "model.safetensors"


def compare_weights(init: InitTable, run: Run, project: Path, runs: Path) -> None:
    """Let a run that goes on refuse (SR-RUN-015) starting weights that are not those it began with.

    It does not need them: where they are gone, the run says that they were not compared.
    """
    with suppress(SamerunError):
        _read_as_input(init, run, project, runs)


def starting_weights(init: InitTable, run: Run, project: Path, runs: Path) -> Mapping[str, Any]:
    """Return the tensors of the model by name.

    `from` is RUN@best, RUN@last or RUN@STEP, a safetensors file or a folder with a model.safetensors (relative to
    `project`), or a hub id. Raises NoMatchError SR-TRAINER-012 for a checkpoint that is not there, MissingError
    SR-TRAINER-013 for a file that holds no weights.
    """
    reference = init.from_
    path, info = _read_as_input(init, run, project, runs)
    if info is not None:
        weights: Mapping[str, Any] = read_checkpoint(info.path).tree(COMPONENT)
        return weights
    file = path / WEIGHTS_FILE if path.is_dir() else path
    try:
        return load_file(file)
    except (OSError, SafetensorError) as error:
        raise MissingError(
            "SR-TRAINER-013",
            f"init.from: {reference} holds no weights",
            evidence=[f"{file.name}: {error}"],
            do=f"name a .safetensors file, or a folder that holds {WEIGHTS_FILE}",
        ) from error


def _read_as_input(init: InitTable, run: Run, project: Path, runs: Path) -> tuple[Path, CheckpointInfo | None]:
    """Name the weights as an input of the run; return where they are, and the checkpoint they are part of, if any."""
    reference = init.from_
    name, _, at = reference.rpartition("@")
    if name:
        info = _checkpoint_of(name, at, runs)
        return run.input(info.path / tensor_file(COMPONENT)), info
    local = project / reference
    return run.input(local if local.exists() else reference, revision=init.revision), None


def _checkpoint_of(name: str, at: str, runs: Path) -> CheckpointInfo:
    """Find the checkpoint that RUN@best, RUN@last or RUN@STEP means."""
    record = find_run(name, runs)
    folder = record.folder / layout.CHECKPOINTS
    step = record.manifest.best.get("step") if at == "best" else at
    info = latest(folder) if at == "last" else None
    if info is None and step is not None and str(step).isdecimal():
        info = find(folder, int(step))
    if info is None:
        raise NoMatchError(
            "SR-TRAINER-012",
            f"init.from: {record.name} has no checkpoint '{at}'",
            evidence=["wanted: best (needs checkpoint.best), last, or the number of a step"],
            do=f"samerun show {record.name}",
        )
    return info
