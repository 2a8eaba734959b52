"""The resolved config: digests, the horizon, the drawn seed, what config.json holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import ValidationError

from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256
from samerun.config.origin import Origin
from samerun.config.resolved import Config

COSINE = "schedule: {kind: practice.parts:COSINE}\n"


def test_the_submitted_bytes_and_their_digest_are_kept(resolved: Callable[..., Config]) -> None:
    config = resolved("# a remark\nrate: 2\n")
    assert config.submitted.endswith(b"# a remark\nrate: 2\n")
    assert config.submitted_digest == sha256(config.submitted)
    assert config.submitted_name == "recipe.yaml"


def test_remarks_and_spelling_move_the_submitted_digest_only(resolved: Callable[..., Config]) -> None:
    one, two = resolved("rate: 2\n"), resolved("rate: 2.0 # the same\n")
    assert one.digest == two.digest
    assert one.submitted_digest != two.submitted_digest


def test_values_cannot_be_changed(resolved: Callable[..., Config]) -> None:
    config = resolved()
    with pytest.raises(ValidationError):
        config.values.steps = 5
    with pytest.raises(AttributeError):
        config.notes = ()  # type: ignore[misc]


def test_a_horizon_that_a_schedule_reads_is_the_steps_of_the_first_start(resolved: Callable[..., Config]) -> None:
    config = resolved(COSINE)
    assert config.values.horizon_steps == config.plain["horizon_steps"] == 10
    assert config.origins["horizon_steps"] == Origin("default", "steps at the first start")
    assert config.identity_values()["horizon_steps"] == 10
    assert resolved(COSINE, "steps=20").digest != config.digest
    assert resolved(COSINE, "horizon_steps=10", "steps=20").digest == config.digest


def test_an_unset_horizon_that_nothing_reads_is_no_identity(resolved: Callable[..., Config]) -> None:
    config = resolved()
    assert "horizon_steps" not in config.identity_values()
    assert resolved("", "steps=20").digest == config.digest
    assert resolved("horizon_steps: 10\n").digest != config.digest


def test_a_run_of_no_steps_has_a_horizon_all_the_same(resolved: Callable[..., Config]) -> None:
    assert resolved(COSINE, "steps=0").values.horizon_steps == 1


def test_a_drawn_seed_becomes_part_of_the_config(resolved: Callable[..., Config]) -> None:
    config = resolved().with_seed(2**127 + 1)
    assert config.values.seed == config.plain["seed"] == config.identity_values()["seed"] == 2**127 + 1
    assert config.origins["seed"] == Origin("code", "drawn from the operating system")
    assert config.digest == resolved("", f"seed={2**127 + 1}").digest


def test_the_digest_is_pinned(resolved: Callable[..., Config]) -> None:
    config = resolved("seed: 7\n")
    assert canonical_bytes(config.identity_values()) == (
        b'{"count":1,"exact_except":[],"flag":false,"groups":[],"label":"","mode":"careful",'
        b'"model":{"dropout":0,"hidden":[64],"kind":"practice.parts:MLP"},'
        b'"optimizer":{"kind":"practice.parts:SGD","learning_rate":0.1,"momentum":0.9},"rate":1,'
        b'"schedule":null,"seed":7,"stop":null,"trainer":"practice.parts:TRAINER","weights":{}}'
    )
