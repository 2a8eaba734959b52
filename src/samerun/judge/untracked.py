"""Which state changes from step to step and is not saved: decided from two walks of one run, whole and resumed.

What a resume does not bring back differs at the boundary where it went on. Whether the loop would have used it is told
by the next boundaries (what is made anew in each step is equal again there) and by how the code uses it. What a walk
looks at: run/carried/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from samerun.errors import NoMatchError
from samerun.record.walked import ABSENT, GRADIENTS, Boundary, Leaf, Walk


@dataclass(frozen=True)
class Untracked:
    """State that changes from step to step and that no checkpoint holds."""

    path: str
    """`model.backbone.calls`, `loop local 'best'`, `closure of model.layer1 forward hook: counter`."""
    kind: str
    """What holds it: attribute, local, closure, global, default, buffer, gradients, generator, iterator, cache, ..."""
    step: int
    """The step in which it was first seen to change."""
    before: str
    after: str
    how_to_save: str

    def __str__(self) -> str:
        return f"{self.path} changed {self.before} -> {self.after} in step {self.step} (to save it: {self.how_to_save})"

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        return asdict(self)


def compare_walks(whole: Walk, resumed: Walk) -> tuple[Untracked, ...]:
    """List what changed in `whole` up to the boundary at which `resumed` begins, and was lost there.

    `whole` is a run that was not stopped, `resumed` the same run as a later process went on with it. Raises
    NoMatchError SR-JUDGE-003 where the walks have no boundary in common.
    """
    start = min(resumed.boundaries, default=-1)
    if start not in whole.boundaries:
        raise NoMatchError(
            "SR-JUDGE-003",
            f"the resumed run begins at {start}, which the whole run has no walk of",
            evidence=[f"walked in the whole run: {', '.join(map(str, whole.boundaries)) or 'nothing'}"],
            do="take two walks of one run, the second from a step that the first has",
        )
    later = [step for step in whole.boundaries if step > start and step in resumed.boundaries]
    found: dict[str, Untracked] = {}
    for gradient in _gradients(whole):
        found.setdefault(gradient.path, gradient)
    for path, leaf, change in _lost(whole, resumed.boundaries[start], start):
        if _is_carried(path, leaf, change, whole, resumed, later):
            found.setdefault(leaf.owner, _spelled(path, leaf, change, whole))
    return tuple(found.values())


def _gradients(whole: Walk) -> Iterator[Untracked]:
    """Yield the gradients that a step was seen to use, and that lay there before it."""
    for step, at in whole.boundaries.items():
        for path, leaf in at.leaves.items():
            if leaf.kind == GRADIENTS and leaf.is_updated:
                yield Untracked(path, GRADIENTS, max(step - 1, 0), "none", leaf.shown, leaf.how_to_save)


def _lost(whole: Walk, went_on: Boundary, start: int) -> Iterator[tuple[str, Leaf, int]]:
    """Yield path, leaf and the first boundary at which it had changed, of what the resumed process does not have."""
    at = whole.boundaries[start]
    for path in dict.fromkeys((*at.leaves, *went_on.leaves)):
        leaf = at.leaves.get(path) or went_on.leaves[path]
        if leaf.kind == GRADIENTS or _token(at, path) == _token(went_on, path):
            continue
        change = _first_change(whole, path, start)
        if change is not None:
            yield path, leaf, change


def _is_carried(path: str, leaf: Leaf, change: int, whole: Walk, resumed: Walk, later: list[int]) -> bool:
    if leaf.is_rebound:
        return True
    changes_again = any(_token(whole.boundaries[step], path) != leaf.token for step in later) or change > 1
    if leaf.is_updated and changes_again:
        return True
    for step in later:
        a, b = whole.boundaries[step], resumed.boundaries[step]
        if _token(a, path) != _token(b, path) and (a.tracked == b.tracked or leaf.is_read):
            return True
    return False


def _first_change(whole: Walk, path: str, start: int) -> int | None:
    steps = [step for step in whole.boundaries if step <= start]
    for earlier, step in pairwise(steps):
        if _token(whole.boundaries[earlier], path) != _token(whole.boundaries[step], path):
            return step
    return None


def _spelled(path: str, leaf: Leaf, change: int, whole: Walk) -> Untracked:
    steps = list(whole.boundaries)
    before = whole.boundaries[steps[steps.index(change) - 1]].leaves
    after = whole.boundaries[change].leaves
    inner = path.removeprefix(leaf.owner).lstrip(".")
    if inner.startswith(" "):
        inner = ""  # the length of a container, the iterator in an iterator: what is shown says it
    shown = f"{inner} {_shown(before, path, leaf.owner)}".strip(), _shown(after, path, leaf.owner)
    return Untracked(leaf.owner, leaf.kind, change - 1, *shown, leaf.how_to_save)


def _shown(leaves: Mapping[str, Leaf], path: str, owner: str) -> str:
    leaf = leaves.get(path) or leaves.get(owner)
    return ABSENT if leaf is None else leaf.shown


def _token(at: Boundary, path: str) -> str | None:
    leaf = at.leaves.get(path)
    return None if leaf is None else leaf.token
