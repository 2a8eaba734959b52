"""Where each value counts, and that it does: asides move no digest, everything else does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest

from samerun.config.parts import PartChoice, PartSlot
from samerun.config.resolved import Config
from samerun.config.schema import Table
from samerun.config.standing import choices_of

FULL = """
seed: 7
schedule: {kind: practice.parts:CONSTANT}
groups: [{match: a}]
weights: {x: 1}
init: {from: somewhere}
checkpoint: {best: {metric: loss, better: lower}}
token: env:HF_TOKEN
"""
FLIPS: dict[str, Any] = {
    "name": "other",
    "steps": 11,
    "recheck_every": 5,
    "init.from": "elsewhere",
    "init.revision": "main",
    "checkpoint.every": "7min",
    "checkpoint.keep": 9,
    "checkpoint.keep_every": 2,
    "checkpoint.keep_weights": 2,
    "checkpoint.best.metric": "accuracy",
    "checkpoint.best.better": "higher",
    "checkpoint.asynchronous": True,
    "evaluate.every": 3,
    "trail.state_every": 4,
    "model.note": "remark",
    "groups.0.note": "remark",
    "token": "env:OTHER",
    "seed": 8,
    "exact_except": "[aten::cumsum]",
    "horizon_steps": 50,
    "model.hidden": "[32]",
    "model.dropout": 0.5,
    "model.kind": "practice.parts:CNN",
    "optimizer.learning_rate": 0.2,
    "optimizer.momentum": 0.5,
    "groups.0.match": "b",
    "groups.0.rate": 0.5,
    "weights.x": 2,
    "rate": 3,
    "count": 3,
    "flag": True,
    "mode": "fast",
    "label": "x",
    "tier": "fast",
    "threads": 2,
    "device": "cuda",
    "stop": "{patience: 3}",
}
FIXED = {"trainer", "optimizer.kind", "schedule.kind", "weights"}


def text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("path", FLIPS)
def test_flipping_a_value_moves_the_digest_just_when_it_counts(resolved: Callable[..., Config], path: str) -> None:
    before = resolved(FULL)
    after = resolved(FULL, f"{path}={text(FLIPS[path])}")
    counts = before.standings.get(path) is None or before.standings[path].group == "experiment"
    assert before.plain != after.plain
    assert (before.digest != after.digest) == counts


def test_every_value_of_the_practice_recipe_is_flipped(resolved: Callable[..., Config]) -> None:
    assert set(resolved(FULL).standings) - FIXED <= set(FLIPS)


def test_asides_are_left_out_of_the_identity_nested_ones_too(resolved: Callable[..., Config]) -> None:
    values = resolved(FULL).identity_values()
    assert values == {
        "trainer": "practice.parts:TRAINER",
        "seed": 7,
        "exact_except": [],
        "model": {"kind": "practice.parts:MLP", "hidden": [64], "dropout": 0.0},
        "optimizer": {"kind": "practice.parts:SGD", "learning_rate": 0.1, "momentum": 0.9},
        "schedule": {"kind": "practice.parts:CONSTANT"},
        "stop": None,
        "groups": [{"match": "a", "rate": None}],
        "weights": {"x": 1.0},
        "rate": 1.0,
        "count": 1,
        "flag": False,
        "mode": "careful",
        "label": "",
    }


def test_tier_threads_and_device_count_on_the_platforms_side(resolved: Callable[..., Config]) -> None:
    assert resolved().platform_values() == {"tier": "exact", "threads": "auto", "device": "cpu"}


def test_every_aside_has_its_reason(resolved: Callable[..., Config]) -> None:
    asides = resolved(FULL).asides
    assert asides["checkpoint.best.metric"] == "saving changes no number"
    assert asides["token"].endswith("secrets are never identity")
    assert all(reason for reason in asides.values())


def test_the_cadence_of_evaluations_counts_once_something_reads_them(resolved: Callable[..., Config]) -> None:
    watching = [resolved("", f"evaluate.every={n}").digest for n in (0, 1, 7)]
    deciding = [resolved("stop: {patience: 2}\n", f"evaluate.every={n}") for n in (0, 1, 7)]
    assert len(set(watching)) == 1
    assert len({config.digest for config in deciding}) == 3
    assert "evaluate.every" not in deciding[0].asides
    assert deciding[0].standings["evaluate.every"].reason == "deciding: something reads evaluations"


def test_whether_a_secret_is_given_at_all_is_no_identity_either(resolved: Callable[..., Config]) -> None:
    assert resolved().digest == resolved("token: env:HF_TOKEN\n").digest


def test_elements_of_which_nothing_counts_still_count_by_their_number(resolved: Callable[..., Config]) -> None:
    one, two = resolved("groups: [{match: a}]\n"), resolved("groups: [{match: a}, {match: a}]\n")
    assert one.digest != two.digest


def test_every_chosen_part_is_found_nested_ones_too(project: Path) -> None:
    class Nested(Table):
        inner: Annotated[PartChoice, PartSlot("models")]
        more: tuple[Annotated[PartChoice, PartSlot("models")], ...] = ()

    class Outer(Table):
        part: Annotated[PartChoice, PartSlot("models")]
        nested: Nested | None = None

    mlp, cnn = {"kind": "practice.parts:MLP"}, {"kind": "practice.parts:CNN"}
    text = json.dumps({"part": mlp, "nested": {"inner": cnn, "more": [cnn, mlp]}})
    found = choices_of(Outer.model_validate_json(text, context={"project": project}))
    assert [choice.part.name for choice in found] == ["mlp", "cnn", "cnn", "mlp"]
