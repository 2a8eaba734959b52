"""Which checkpoints a folder holds: computed from names and indexes each time, never kept in a file. Needs no torch.

A folder called `step-N` was complete when it got this name; if it cannot be read now it is damaged, and never
mistaken for an unfinished one. Unfinished ones have hidden names and are rubble.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from samerun.base import files
from samerun.base.sealed import unseal
from samerun.checkpoint.format import (
    CHUNKS,
    DIGESTS,
    FORMAT,
    WEIGHTS,
    Index,
    aside_name,
    index_damage,
    parse_aside,
    parse_step,
    step_name,
)
from samerun.checkpoint.index import CheckpointInfo, read_index, read_whole
from samerun.errors import DamageError, NoMatchError


def list_steps(folder: Path) -> list[int]:
    """Return the steps that have a checkpoint, ascending by number, from names alone."""
    return sorted(_paths(folder))


def _paths(folder: Path) -> dict[int, Path]:
    found: dict[int, Path] = {}
    for name in sorted(_names(folder), reverse=True):  # plain names last: they win over the one set aside
        step = parse_step(name)
        aside = parse_aside(name) if step is None else None
        if step is not None:
            found[step] = folder / name
        elif aside is not None:
            found.setdefault(aside, folder / name)
    return found


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def list_checkpoints(folder: Path) -> list[CheckpointInfo]:
    """Return the checkpoints whose index is whole, ascending by step; `list_damaged` has the others."""
    return [info for _, info in _named(folder) if isinstance(info, CheckpointInfo)]


def list_damaged(folder: Path) -> dict[str, DamageError]:
    """Return the checkpoints whose index cannot be read, by folder name, with the reason of each."""
    return {name: info for name, info in _named(folder) if isinstance(info, DamageError)}


def _named(folder: Path) -> Iterator[tuple[str, CheckpointInfo | DamageError]]:
    for _, path in sorted(_paths(folder).items()):
        try:
            yield path.name, read_index(path)
        except DamageError as problem:
            yield path.name, problem
        except NoMatchError:
            continue  # deleted since the names were listed


def find(folder: Path, step: int) -> CheckpointInfo:
    """Return the checkpoint of a step. Raises NoMatchError (SR-CHECKPOINT-021) naming the steps there are."""
    paths = _paths(folder)
    if step in paths:
        return read_index(paths[step])
    there = ", ".join(map(str, sorted(paths)[-20:])) or "none"
    raise NoMatchError(
        "SR-CHECKPOINT-021", f"there is no checkpoint of step {step}", evidence=[f"there are: {there}"], do="choose one"
    )


def latest(folder: Path) -> CheckpointInfo | None:
    """Return the checkpoint of the highest step, None where there is none.

    Raises DamageError where that one's index is damaged; older damaged ones do not matter.
    """
    paths = _paths(folder)
    return read_index(paths[max(paths)]) if paths else None


def newest_good(folder: Path) -> CheckpointInfo | None:
    """Return the newest checkpoint that reads back whole, every byte checked; `skipped` names the newer ones.

    None where there is none at all. Raises the newest one's DamageError where all are damaged.
    """
    from samerun.checkpoint.read import read_checkpoint

    problems: list[DamageError] = []
    for _, path in sorted(_paths(folder).items(), reverse=True):
        try:
            read_checkpoint(path)
            info = read_index(path)
        except DamageError as problem:
            problems.append(problem)
        else:
            return replace(info, skipped=tuple(f"{problem.code}: {problem.what}" for problem in problems))
    if problems:
        raise problems[0]
    return None


def leaf_digests(folder: Path, step: int) -> dict[str, dict[str, str]]:
    """Return the leaf digests at a step, also of a checkpoint that retention has deleted since.

    Raises NoMatchError (SR-CHECKPOINT-021) for a step that never had one, DamageError for a damaged file.
    """
    path = folder / DIGESTS / f"{step_name(step)}.json"
    if step in _paths(folder) or not path.exists():
        return find(folder, step).leaf_digests
    where = f"{DIGESTS}/{path.name}"
    document = unseal(read_whole(path, where), where)
    if document.get("format") != FORMAT or document.get("step") != step:
        raise index_damage(where, "it is of another step or format")
    return {name: dict(facts["leaves"]) for name, facts in document["components"].items()}


def digested_steps(folder: Path) -> list[int]:
    """Return every step whose leaf digests are known: those of checkpoints, and of deleted ones."""
    kept = {parse_step(name.removesuffix(".json")) for name in _names(folder / DIGESTS) if name.endswith(".json")}
    return sorted({step for step in kept if step is not None} | set(_paths(folder)))


def digests_document(index: Index) -> dict[str, Any]:
    """Return what a deleted checkpoint leaves: which leaves it had, with their digests."""
    components: Mapping[str, Any] = index.document()["components"]
    return {"format": FORMAT, "step": index.step, "identity": index.identity, "components": components}


def list_rubble(folder: Path) -> list[Path]:
    """Return what unfinished saves and deletions left behind: hidden, part of nothing."""
    places = (folder, folder / WEIGHTS, folder / CHUNKS, folder / DIGESTS)
    found = [place / name for place in places for name in _names(place) if files.is_rubble(name)]
    found += [folder / name for name in _names(folder) if _is_replaced(folder, name)]
    return sorted(found)


def _is_replaced(folder: Path, name: str) -> bool:
    step = parse_aside(name)
    return step is not None and (folder / step_name(step)).is_dir()


def sweep_rubble(folder: Path) -> list[Path]:
    """Delete rubble, and finish a replacement that a kill cut short; return what was deleted.

    Only the run's own writer may call it: another process's save under way looks like rubble.
    """
    for name in _names(folder):
        step = parse_aside(name)
        if step is not None and not (folder / step_name(step)).exists():
            files.rename(folder / aside_name(step), folder / step_name(step))
    found = list_rubble(folder)
    for path in found:
        files.remove(path)
    return found
