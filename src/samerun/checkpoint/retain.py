"""Which checkpoints stay: `decide` is a pure function of numbers, `retain` carries its decision out.

Kept: step 0 for ever, the newest N, multiples of k, the best, pinned ones, and of the rest fewer the older they are.
A deleted checkpoint leaves its leaf digests; one that somebody reads at the moment is left alone, as is a damaged one.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from samerun.base import files
from samerun.base.lock import exclusive_lock
from samerun.base.sealed import write_sealed
from samerun.checkpoint.format import DIGESTS, WEIGHTS, step_name
from samerun.checkpoint.index import CheckpointInfo
from samerun.checkpoint.store import digests_document, list_checkpoints, list_damaged
from samerun.errors import DamageError, NoMatchError


@dataclass(frozen=True)
class RetentionPolicy:
    """What stays beside step 0, the best and the pinned ones."""

    keep: int = 3
    """Newest checkpoints kept; at least one always is."""
    keep_every: int | None = None
    """Steps: checkpoints at multiples of it are kept for ever."""
    keep_weights: int | None = None
    """Steps: of checkpoints at multiples of it the models are kept for ever."""
    is_thinning: bool = True
    """Whether older ones are thinned out (about one per doubling of their age) rather than deleted at once."""


@dataclass(frozen=True)
class Decision:
    """Steps to delete, and those of them whose models are kept apart first; both ascending."""

    delete: tuple[int, ...]
    weights: tuple[int, ...]


def decide(
    steps: Collection[int], policy: RetentionPolicy, *, best: int | None = None, pinned: Collection[int] = ()
) -> Decision:
    """Return what to delete of the checkpoints of `steps`. Deciding again after deleting deletes nothing more."""
    ordered = sorted(set(steps))
    kept = {0, *ordered[-max(policy.keep, 1) :], *pinned} | ({best} if best is not None else set())
    if policy.keep_every:
        kept |= {step for step in ordered if step % policy.keep_every == 0}
    if policy.is_thinning:
        kept |= thinned(ordered)
    delete = tuple(step for step in ordered if step not in kept)
    weights = policy.keep_weights
    return Decision(delete, tuple(step for step in delete if weights and step % weights == 0))


def thinned(steps: Collection[int]) -> set[int]:
    """Return the first step of each cell of a grid that doubles its width with each doubling of age (newest - step).

    Cells of one width merge in pairs when they age, and the first of a merged cell was the first of one of the two:
    what stays now was always kept before, and about two stay for each doubling.
    """
    kept: dict[tuple[int, int], int] = {}
    newest = max(steps, default=0)
    for step in sorted(steps):
        width = 1 << max((newest - step).bit_length() - 1, 0)
        kept.setdefault((width, step // width), step)
    return set(kept.values())


def retain(
    folder: Path,
    policy: RetentionPolicy,
    *,
    best: int | None = None,
    pinned: Collection[int] = (),
    chunks: Collection[str] = (),
) -> tuple[int, ...]:
    """Delete what `decide` says, oldest first; return the steps deleted. `chunks`: pieces to spare, named or not.

    The caller holds the run's lock. After a kill at any instant the next call goes on.
    """
    infos = {info.step: info for info in list_checkpoints(folder)}
    decision = decide(infos, policy, best=best, pinned=pinned)
    deleted = tuple(step for step in decision.delete if _delete(folder, infos[step], step in decision.weights))
    _delete_chunks(folder, chunks)
    return deleted


def _delete(folder: Path, info: CheckpointInfo, with_weights: bool) -> bool:
    try:
        with exclusive_lock(info.path) as is_free:
            if not is_free:
                return False
            if with_weights and not keep_models(folder, info):
                return False
            files.make_dir(folder / DIGESTS)
            write_sealed(folder / DIGESTS / f"{step_name(info.step)}.json", digests_document(info.index))
            files.remove(info.path)
            return True
    except FileNotFoundError:
        return False  # somebody deleted it meanwhile


def keep_models(folder: Path, info: CheckpointInfo) -> bool:
    """Copy the modules of a checkpoint to `weights/`; False where it is damaged and stays as it is.

    The caller holds the lock on the checkpoint's folder.
    """
    from samerun.checkpoint.read import read_unlocked
    from samerun.checkpoint.write import write_checkpoint

    try:
        whole = read_unlocked(info)
    except (DamageError, NoMatchError):
        return False
    models = {name: whole.components[name] for name, facts in info.index.components.items() if facts.is_module}
    if models:
        write_checkpoint(folder / WEIGHTS, info.step, models, identity=info.identity, extra=info.index.extra)
    return True


def _delete_chunks(folder: Path, spared: Collection[str]) -> None:
    from samerun.checkpoint.chunks import delete_unnamed  # NumPy: verbs that only decide are light

    damaged = list_damaged(folder)
    if damaged:
        return  # nobody knows which pieces those name
    named = {
        name for info in list_checkpoints(folder) for facts in info.index.components.values() for name in facts.chunks
    }
    delete_unnamed(folder, named | set(spared))
