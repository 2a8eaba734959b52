"""A copy of a recorded run that goes on from an earlier checkpoint, so that steps can be made again beside the record.

The record itself is never written to. Checkpoints and data are linked; all that a run appends to or replaces is copied.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from samerun.base import files
from samerun.checkpoint.format import parse_aside, parse_step
from samerun.checkpoint.store import list_steps
from samerun.errors import MissingError
from samerun.record import layout
from samerun.record.bundle.marker import data_of
from samerun.record.local import local_facts, write_local
from samerun.record.manifest import Status, write_manifest
from samerun.record.reader import RunRecord

_LEFT_OUT = frozenset(
    {layout.LOCK, layout.LOCK_OWNER, layout.LOCAL, layout.ATTEMPTS, layout.EVALUATIONS, layout.VERIFICATION}
)


def common_checkpoint(a: RunRecord, b: RunRecord, step: int) -> int | None:
    """Return the newest checkpoint at or before `step` that both runs have kept; None where there is none."""
    kept = [{*list_steps(record.folder / layout.CHECKPOINTS)} for record in (a, b)]
    return max((found for found in kept[0] & kept[1] if found <= step), default=None)


def nearest_checkpoint(record: RunRecord, step: int) -> int:
    """Return the newest checkpoint at or before `step`. Raises MissingError SR-REPLAY-002 where there is none."""
    kept = [kept for kept in list_steps(record.folder / layout.CHECKPOINTS) if kept <= step]
    if kept:
        return kept[-1]
    raise MissingError(
        "SR-REPLAY-002",
        f"{record.name} holds no checkpoint at or before step {step}",
        evidence=["a step is made again from the checkpoint before it; step 0 is usually kept for ever"],
        do="samerun verify RUN --here makes the run again from its beginning",
    )


def make_scratch(record: RunRecord, begin: int, runs: Path, project: Path | None) -> Path:
    """Copy a run into the new folder `runs`, with checkpoints up to `begin` only; return the copy.

    project: where its code lies, if that is not where the record says.
    """
    folder = runs / record.name
    files.make_dir(runs)
    files.make_dir(folder, exclusive=True)
    for path in sorted(record.folder.iterdir()):
        if path.name in _LEFT_OUT or files.is_rubble(path.name):
            continue
        if path.is_file():
            files.copy(path, folder / path.name)
        elif path.name == layout.CHECKPOINTS:
            _link_checkpoints(path, folder / path.name, begin)
    for label, path in sorted(data_of(record.folder).items()):
        files.make_dir((folder / layout.UNPACKED_DATA / label).parent)
        files.link(path, folder / layout.UNPACKED_DATA / label)
    local = local_facts(record)
    # The copy is a run that was killed after this checkpoint: what came later is not its own.
    write_manifest(folder, replace(record.manifest, status=Status.INTERRUPTED, step=begin, state_digest=None, logs={}))
    write_local(folder, {**local, **({} if project is None else {"root": str(project)})})
    return folder


def _link_checkpoints(source: Path, target: Path, begin: int) -> None:
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        step = next((step for part in relative.parts if (step := _step_of(part)) is not None), None)
        is_later = step is not None and step > begin
        is_rubble = any(files.is_rubble(part) and parse_aside(part) is None for part in relative.parts)
        if is_later or is_rubble or not path.is_file():
            continue
        files.make_dir((target / relative).parent)
        files.link(path, target / relative)


def _step_of(name: str) -> int | None:
    step = parse_step(name.removesuffix(".json"))
    return parse_aside(name) if step is None else step
