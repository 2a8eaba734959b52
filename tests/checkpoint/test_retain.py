"""Retention: what stays is a pure function of numbers; carrying it out loses nothing at any instant."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from samerun.base.lock import shared_lock
from samerun.checkpoint.chunks import has_chunk, write_chunk
from samerun.checkpoint.read import read_checkpoint
from samerun.checkpoint.retain import Decision, RetentionPolicy, decide, retain, thinned
from samerun.checkpoint.store import digested_steps, latest, list_steps
from samerun.checkpoint.write import write_checkpoint
from samerun.state.tree import pack

Faults = Callable[[str, str], list[dict[str, Any]]]
PLAIN = RetentionPolicy(keep=2, is_thinning=False)


def save(folder: Path, *steps: int, **more: Any) -> None:
    for step in steps:
        write_checkpoint(folder, step, {"model": pack({"w": np.full(2, step)})}, identity="id", **more)


def kept(steps: range | list[int], policy: RetentionPolicy, **given: Any) -> list[int]:
    return sorted(set(steps) - set(decide(steps, policy, **given).delete))


def test_step_0_the_newest_the_best_and_the_pinned_stay() -> None:
    assert kept(range(0, 100, 10), PLAIN, best=30, pinned=[50]) == [0, 30, 50, 80, 90]


def test_nothing_else_stays_without_thinning() -> None:
    assert decide([1, 2, 3, 4], PLAIN) == Decision((1, 2), ())


def test_multiples_stay_for_ever() -> None:
    assert kept(range(1, 60), RetentionPolicy(keep=1, keep_every=25, is_thinning=False)) == [25, 50, 59]


def test_order_is_by_number_across_the_digit_boundaries() -> None:
    assert kept([9, 10, 8, 11], PLAIN) == [10, 11]
    assert kept([99_999_999, 100_000_000, 99_999_998], PLAIN) == [99_999_999, 100_000_000]


@pytest.mark.parametrize("keep", [0, -3])
def test_the_newest_stays_whatever_the_policy_says(keep: int) -> None:
    assert kept([1, 2, 3], RetentionPolicy(keep=keep, is_thinning=False)) == [3]


def test_weights_are_kept_of_what_is_deleted_at_their_multiples() -> None:
    decision = decide(range(1, 10), RetentionPolicy(keep=1, keep_weights=4, is_thinning=False))
    assert decision.weights == (4, 8) and set(decision.weights) <= set(decision.delete)


def test_nothing_to_keep_is_nothing_to_delete() -> None:
    assert decide([], PLAIN, best=5, pinned=[7]) == Decision((), ())


steps_lists = st.sets(st.integers(0, 5000), max_size=60)


@given(steps_lists, st.integers(1, 5), st.booleans(), st.none() | st.integers(0, 5000), st.sets(st.integers(0, 5000)))
def test_deciding_again_deletes_nothing_more(
    steps: set[int], keep: int, is_thinning: bool, best: int | None, pinned: set[int]
) -> None:
    policy = RetentionPolicy(keep=keep, is_thinning=is_thinning)
    decision = decide(steps, policy, best=best, pinned=pinned)
    rest = steps - set(decision.delete)
    assert decide(rest, policy, best=best, pinned=pinned).delete == ()
    assert not ({0, best} | pinned) & set(decision.delete)
    assert set(sorted(steps)[-keep:]) <= rest


@given(st.lists(st.integers(1, 300), min_size=1, max_size=120), st.integers(1, 3))
def test_what_thinning_keeps_was_never_deleted_before(gaps: list[int], keep: int) -> None:
    policy, alive, step = RetentionPolicy(keep=keep), set[int](), 0
    ever: set[int] = set()
    for gap in gaps:
        step += gap
        alive.add(step)
        ever.add(step)
        alive -= set(decide(alive, policy).delete)
        assert len(alive) <= 2 * max(ever).bit_length() + keep + 2
    assert thinned(alive) <= alive


def test_thinning_keeps_about_two_for_each_doubling_of_age() -> None:
    alive: set[int] = set()
    for step in range(0, 100_001, 100):
        alive.add(step)
        alive -= set(decide(alive, RetentionPolicy(keep=3)).delete)
    assert len(alive) < 30
    gaps = [b - a for a, b in zip(sorted(alive), sorted(alive)[1:], strict=False)]
    assert gaps[0] > 10_000 and gaps[-1] == 100


def test_a_deleted_checkpoint_leaves_its_leaf_digests_and_nothing_else(tmp_path: Path) -> None:
    save(tmp_path, 0, 1, 2, 3, 4)
    assert retain(tmp_path, PLAIN, best=1) == (2,)
    assert list_steps(tmp_path) == [0, 1, 3, 4] and digested_steps(tmp_path) == [0, 1, 2, 3, 4]
    assert sorted(os.listdir(tmp_path)) == ["digests", *(f"step-0000000{step}" for step in (0, 1, 3, 4))]


def test_the_best_stays_while_it_is_best_also_after_a_resume(tmp_path: Path) -> None:
    for step in range(12):
        save(tmp_path, step)
        retain(tmp_path, PLAIN, best=4 if step >= 4 else None)
    assert list_steps(tmp_path) == [0, 4, 10, 11]
    retain(tmp_path, PLAIN, best=11)
    assert list_steps(tmp_path) == [0, 10, 11]


def test_one_that_somebody_reads_is_left_alone_until_later(tmp_path: Path) -> None:
    save(tmp_path, 1, 2, 3, 4)
    with shared_lock(tmp_path / "step-00000001"):
        assert retain(tmp_path, PLAIN) == (2,)
        assert list_steps(tmp_path) == [1, 3, 4]
    assert retain(tmp_path, PLAIN) == (1,)


def test_a_damaged_one_is_left_as_evidence(tmp_path: Path) -> None:
    save(tmp_path, 1, 2, 3, 4)
    (tmp_path / "step-00000001" / "checkpoint.json").write_text("{}")
    assert retain(tmp_path, PLAIN) == (2,)
    assert list_steps(tmp_path) == [1, 3, 4]


def test_models_are_kept_apart_from_the_rest(tmp_path: Path) -> None:
    net = torch.nn.Linear(2, 2)
    optim = torch.optim.AdamW(net.parameters())
    for step in range(6):
        components = {"model": pack(net.state_dict()), "optim": pack(optim.state_dict()), "n": pack({"n": step})}
        write_checkpoint(tmp_path, step, components, identity="id", extra={"e": step})
    retain(tmp_path, RetentionPolicy(keep=1, keep_weights=2, is_thinning=False))
    assert list_steps(tmp_path) == [0, 5] and list_steps(tmp_path / "weights") == [2, 4]
    weights = read_checkpoint(tmp_path / "weights" / "step-00000004")
    assert set(weights.components) == {"model"} and weights.extra == {"e": 4}
    net.load_state_dict(weights.tree("model"))
    newest = latest(tmp_path)
    assert newest is not None and newest.step == 5


def test_a_damaged_one_whose_models_should_be_kept_is_not_deleted(tmp_path: Path) -> None:
    for step in (1, 2, 3):
        write_checkpoint(tmp_path, step, {"model": pack(torch.nn.Linear(1, 1).state_dict())}, identity="id")
    path = tmp_path / "step-00000002" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"\x55")
    retain(tmp_path, RetentionPolicy(keep=1, keep_weights=2, is_thinning=False))
    assert list_steps(tmp_path) == [2, 3]


def test_pieces_that_no_checkpoint_names_any_more_go(tmp_path: Path) -> None:
    names = [write_chunk(tmp_path, {"piece": np.full(3, step)}) for step in range(4)]
    for step in range(3):
        save(tmp_path, step + 1, chunks={"model": names[step : step + 2]})
    spare = write_chunk(tmp_path, "not named yet")
    retain(tmp_path, RetentionPolicy(keep=1, is_thinning=False), chunks=[spare])
    assert [has_chunk(tmp_path, name) for name in [*names, spare]] == [False, False, True, True, True]
    retain(tmp_path, RetentionPolicy(keep=1, is_thinning=False))
    assert not has_chunk(tmp_path, spare)


def test_no_piece_goes_while_a_damaged_checkpoint_might_name_it(tmp_path: Path) -> None:
    name = write_chunk(tmp_path, 1)
    save(tmp_path, 1, 2, 3)
    (tmp_path / "step-00000001" / "checkpoint.json").write_text("{}")
    retain(tmp_path, PLAIN)
    assert has_chunk(tmp_path, name)


@pytest.mark.parametrize("fault", ["die", pytest.param("ENOSPC", marks=pytest.mark.slow)])
def test_a_kill_or_an_error_at_any_operation_of_a_deletion_loses_nothing(fault: str, faults: Faults) -> None:
    rows = faults("retain", fault)
    assert len(rows) > 20
    for row in rows:
        assert row["found"]["latest"] == 4 and {0, 2, 4} <= set(row["found"]["steps"])
        assert row["done"]["steps"] == [0, 2, 4]
    assert {row["said"].split()[0] for row in rows if row["said"]} >= {"write", "fsync", "rename", "unlink", "mkdir"}


def test_a_kill_at_any_operation_while_models_are_kept_apart_loses_no_model(faults: Faults) -> None:
    rows = faults("weights", "die")
    assert all(row["found"]["kept"] == [0, 1, 2] and row["found"]["latest"] == 2 for row in rows)
    assert rows[-1]["done"]["steps"] == [0, 2]
