"""A variant differs from the recipe in what it prices, and in nothing that a step does otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.config.layers import resolve
from samerun.rerun.variants import COMPARED, VARIANTS, config_of, threads_of

BY_NAME = {variant.name: variant for variant in VARIANTS}


def test_every_comparison_is_of_two_variants_that_are_run() -> None:
    assert all({with_it, without} <= set(BY_NAME) for with_it, without, _ in COMPARED.values())
    assert {name for pair in COMPARED.values() for name in pair[:2]} == set(BY_NAME)


@pytest.mark.parametrize("name", sorted(BY_NAME))
@pytest.mark.parametrize("recipe", ["digits", "text-gpt"])
def test_a_short_run_keeps_the_schedule_of_the_whole_one(recipe: str, name: str) -> None:
    whole = resolve(recipe, project=Path.cwd()).values
    values = config_of(recipe, [], BY_NAME[name], 40, Path.cwd()).values
    assert (values.steps, values.horizon_steps, values.evaluate.every) == (40, whole.steps, 0)
    assert (values.batch_size, values.seed) == (whole.batch_size, whole.seed)
    assert values.checkpoint.best is None and values.checkpoint.every > 40


def test_what_is_given_counts_and_what_is_priced_wins() -> None:
    given = ["batch_size=7", "tier=fast", "recheck_every=3"]
    values = config_of("digits", given, BY_NAME["exact"], 40, Path.cwd()).values
    assert (values.batch_size, values.tier, values.recheck_every) == (7, "exact", 0)


def test_the_kernels_are_compared_with_equal_threads() -> None:
    exact, alike = (config_of("digits", [], BY_NAME[name], 40, Path.cwd()) for name in ("exact", "alike"))
    assert alike.values.tier == "fast" and threads_of("fast", alike) == threads_of("exact", exact)
