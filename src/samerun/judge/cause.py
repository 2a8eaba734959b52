"""One sentence that says why two runs part, as far as their records tell. Pure: from what differs to words.

Whatever was recorded as different before the first effect is a suspect. One suspect is named; of several it is said
that it is one of them; with none, that nothing recorded explains it. Finding suspects is in suspects.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from samerun.judge.difference import Difference

UNEXPLAINED: Final = "nothing that is recorded explains it: same identity, other bits"
SET_UP: Final = (
    "the states differ as they were set up: other setup code, another seed, or an extra draw before the loop"
)
_NAMED: Final = 4
_DRAWN: Final = ("draws", "ambient")
_SETTINGS: Final = ("param_groups/", "base_lrs", "_last_lr")
"""Leaves of optimizers and schedulers that hold a setting, and are no effect of it."""


@dataclass(frozen=True)
class Suspect:
    """One thing that differs and may be why."""

    text: str
    """`config: optimizer.learning_rate 0.001 -> 0.002, set by -s`."""
    setting: str | None = None
    """Last word of the setting, where it is one: where only its own value shows, nothing has come of it yet."""
    from_step: int = 0
    """First step at which it can have had an effect."""


@dataclass(frozen=True)
class Circumstances:
    """What else is known, that explains nothing by itself."""

    steps_compared: int
    beside: Sequence[str] = ()
    """What differs and is promised not to matter, or is not part of the identity."""
    resumed: Sequence[tuple[str, int]] = ()
    """Side and step of each resumption."""


def cause(suspects: Sequence[Suspect], ranked: Sequence[Difference], known: Circumstances) -> str | None:
    """Say in one sentence why two runs part; None where nothing differs and nothing was changed.

    ranked: every difference, the first one first.
    """
    if known.steps_compared == 0:
        return None
    effect = first_effect(suspects, ranked)
    earlier = [one for one in suspects if effect is None or one.from_step <= effect.step]
    if earlier:
        tail = f"no effect in {known.steps_compared} steps" if effect is None else _effect(effect, ranked)
        return f"{_one_of(earlier)}; {tail}{_beside(known)}"
    if effect is None:
        return None
    return f"{_happened(effect, ranked)}{_resumed(effect, known)}{_beside(known)}"


def first_effect(suspects: Sequence[Suspect], ranked: Sequence[Difference]) -> Difference | None:
    """Give the first difference that is more than a changed setting standing where settings stand."""
    words = {one.setting for one in suspects if one.setting is not None}
    for one in ranked:
        if one.component is None and one.kind == "structure":
            continue  # one side goes further: nothing came out different
        if words and _is_setting(one, words):
            continue
        return one
    return None


def _is_setting(one: Difference, words: set[str]) -> bool:
    leaf = one.leaf or ""
    if leaf.startswith(_SETTINGS):
        return True
    return one.component in ("loss", "metrics") and leaf.rsplit("/", 1)[-1] in words


def where(one: Difference) -> str:
    """Say where a difference shows: `at step 12 in the loss`, `before step 0 in model.0.weight`."""
    when = "before step 0" if one.seen_at == 0 else f"at step {one.step}"
    return f"{when} in {_place(one)}"


def _place(one: Difference) -> str:
    if one.kind == "batch":
        return "the batch"
    if one.kind == "draws":
        return f"the draws of {one.stream}"
    if one.kind == "ambient":
        return one.generators
    if one.component in ("loss", "metrics"):
        name = "the loss" if one.leaf in (None, "train/loss", "loss") else str(one.leaf)
    elif one.seen_at in (None, 0) and one.leaf:
        name = f"{one.component}.{one.leaf.replace('/', '.')}" + (f" of {one.parameter}" if one.parameter else "")
    else:
        name = str(one.component)  # a later checkpoint shows which leaves differ by then, not which did first
    return f"{name}, which only one side has" if one.kind == "structure" else name


def _one_of(suspects: Sequence[Suspect]) -> str:
    texts = list(dict.fromkeys(one.text for one in suspects))
    if len(texts) == 1:
        return texts[0]
    more = f"; and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return f"one of: {'; '.join(texts[:_NAMED])}{more}"


def _happened(first: Difference, ranked: Sequence[Difference]) -> str:
    """Say what happened where no recorded fact differs: draws and batches are facts of the run itself."""
    begun = _beginning(first)
    if first.kind == "value" and first.seen_at == 0:
        return f"{SET_UP}; first effect {where(first)}"
    if begun is None:
        return UNEXPLAINED if first.kind != "structure" else f"{UNEXPLAINED}, {where(first)}"
    after = _after(first, ranked)
    return f"{begun}; no effect on any number or state" if after is None else f"{begun}; first effect {where(after)}"


def _effect(effect: Difference, ranked: Sequence[Difference]) -> str:
    """Say where it shows first, and what came of it where that is only a draw."""
    if effect.kind not in _DRAWN:
        return f"first effect {where(effect)}"
    after = _after(effect, ranked)
    return f"first effect {where(effect)}, {'then on no number or state' if after is None else f'then {where(after)}'}"


def _after(first: Difference, ranked: Sequence[Difference]) -> Difference | None:
    """Give the first difference that is more than another draw."""
    later = (one for one in ranked if one.kind not in _DRAWN and one != first and one.component is not None)
    return next(later, None)


def _beginning(first: Difference) -> str | None:
    if first.kind == "draws":
        return f"streams: {first.drawn} at step {first.step}"
    if first.kind == "ambient":
        return f"ambient: something drew from {first.generators}, outside any stream, at step {first.step}"
    if first.kind == "batch":
        return f"batch: other items at step {first.step}, from the same data with the same settings"
    return None


def _resumed(effect: Difference, known: Circumstances) -> str:
    sides = [side for side, step in known.resumed if step == effect.step]
    return f"; it begins where {sides[0]} was resumed" if sides else ""


def _beside(known: Circumstances) -> str:
    return f" ({'; '.join(known.beside)})" if known.beside else ""
