"""What a tracked component is, told by the names of its leaves, and which of them comes first in what a step does.

Within one step a tensor of the model is what a person looks for first; the slots of its optimizer, an average of it and
the rest follow.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, Literal

from samerun.checkpoint.store import list_checkpoints
from samerun.record import layout
from samerun.record.reader import RunRecord

Role = Literal["gradients", "optimizer", "module", "other", "average", "scheduler", "loader", "values"]

CAUSE_ORDER: Final[tuple[Role, ...]] = (
    "gradients",
    "module",
    "optimizer",
    "other",
    "average",
    "scheduler",
    "loader",
    "values",
)
_BY_NAME: Final[Mapping[str, Role]] = {"gradients": "gradients", "values": "values", "ema": "average"}
_BY_PREFIX: Final[Mapping[str, Role]] = {"optim": "optimizer", "sched": "scheduler", "batches": "loader"}
BUFFERS: Final = ("running_mean", "running_var", "num_batches_tracked")
"""Last words of the buffers of torch's normalizations: moved by the forward pass, after the parameters in a listing."""


def role_of(name: str, leaves: Collection[str]) -> Role:
    """Say what a component is; without leaves, or with ones that tell nothing, its name decides."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    if any(leaf.startswith("param_groups/") for leaf in leaves):
        return "optimizer"
    if {"last_epoch", "_step_count"} & set(leaves):
        return "scheduler"
    if {"epoch", "cursor"} <= set(leaves):
        return "loader"
    if "n_averaged" in leaves or "updates" in leaves:
        return "average"
    for prefix, role in _BY_PREFIX.items():
        if name.startswith(prefix) and not leaves:
            return role
    return "module" if not leaves or any("." in leaf or leaf in ("weight", "bias") for leaf in leaves) else "other"


def rank_of(name: str, leaves: Collection[str]) -> int:
    """Say at which place of the cause order a component stands."""
    return CAUSE_ORDER.index(role_of(name, leaves))


def leaf_rank(leaf: str) -> tuple[int, str]:
    """Order the leaves of a component: settings before what they act on, parameters before buffers, then by name."""
    last = leaf.replace("/", ".").rsplit(".", 1)[-1]
    return (0 if leaf.startswith("param_groups/") else 2 if last in BUFFERS else 1), leaf


def tracked_places(record: RunRecord) -> Mapping[str, int]:
    """Number the tracked objects in the order of the loop, which names a model before what it makes of it.

    Empty where no checkpoint says it.
    """
    names = newest_extra(record).get("tracked")
    return {str(name): place for place, name in enumerate(names)} if isinstance(names, list) else {}


def newest_extra(record: RunRecord) -> Mapping[str, Any]:
    """Return what the newest checkpoint says besides its state; nothing where there is none."""
    newest = list_checkpoints(record.folder / layout.CHECKPOINTS)[-1:]
    extra = newest[0].index.extra if newest else None
    return extra if isinstance(extra, dict) else {}
