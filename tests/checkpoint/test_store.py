"""Which checkpoints there are: by number, not by name or time; damage is never taken for an unfinished save."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samerun.checkpoint.index import open_file, read_index
from samerun.checkpoint.retain import RetentionPolicy, retain
from samerun.checkpoint.store import (
    digested_steps,
    find,
    latest,
    leaf_digests,
    list_checkpoints,
    list_damaged,
    list_rubble,
    list_steps,
    newest_good,
    sweep_rubble,
)
from samerun.checkpoint.write import write_checkpoint
from samerun.errors import DamageError, NoMatchError
from samerun.state.digest import digest_leaves
from samerun.state.tree import pack


def save(folder: Path, *steps: int) -> None:
    for step in steps:
        write_checkpoint(folder, step, {"model": pack({"w": np.full(2, step)})}, identity="id")


def test_steps_are_in_order_of_number_also_where_a_digit_is_added(tmp_path: Path) -> None:
    save(tmp_path, 10, 9, 100, 99_999_999, 100_000_000)
    assert list_steps(tmp_path) == [9, 10, 100, 99_999_999, 100_000_000]
    assert [info.step for info in list_checkpoints(tmp_path)] == [9, 10, 100, 99_999_999, 100_000_000]
    newest = latest(tmp_path)
    assert newest is not None and newest.step == 100_000_000 and newest.path.name == "step-100000000"


def test_a_folder_without_checkpoints_has_none(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        assert list_steps(folder) == [] and latest(folder) is None and newest_good(folder) is None
        assert list_rubble(folder) == [] and sweep_rubble(folder) == []


def test_other_names_are_no_checkpoints(tmp_path: Path) -> None:
    save(tmp_path, 1)
    for name in (
        "step-2",
        "step-0000000x",
        "step-000000003",
        "STEP-00000004",
        ".step-00000005.99-0.tmp",
        "best",
        "step-00000006.bak",
    ):
        (tmp_path / name).mkdir()
    assert list_steps(tmp_path) == [1]


def test_what_an_unfinished_save_left_is_rubble_and_swept(tmp_path: Path) -> None:
    save(tmp_path, 1)
    rubble = tmp_path / ".step-00000002.4242-0.tmp"
    rubble.mkdir()
    (rubble / "model.safetensors").write_bytes(b"x")
    (tmp_path / "chunks").mkdir()
    (tmp_path / "chunks" / ".chunk.1-1.tmp").write_bytes(b"x")
    assert list_rubble(tmp_path) == sorted([rubble, tmp_path / "chunks" / ".chunk.1-1.tmp"])
    sweep_rubble(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["chunks", "step-00000001"] and os.listdir(tmp_path / "chunks") == []


def test_a_newest_checkpoint_without_index_is_damage_not_rubble(tmp_path: Path) -> None:
    save(tmp_path, 1, 2)
    (tmp_path / "step-00000002" / "checkpoint.json").unlink()
    with pytest.raises(DamageError, match="step-00000002/checkpoint"):
        latest(tmp_path)


def test_an_older_damaged_one_does_not_block_a_newer_good_one(tmp_path: Path) -> None:
    save(tmp_path, 1, 2)
    (tmp_path / "step-00000001" / "checkpoint.json").write_text("{}")
    newest = latest(tmp_path)
    assert newest is not None and newest.step == 2
    assert [info.step for info in list_checkpoints(tmp_path)] == [2]
    assert list(list_damaged(tmp_path)) == ["step-00000001"]


def test_fallback_takes_the_newest_good_one_and_says_what_it_passed_over(tmp_path: Path) -> None:
    save(tmp_path, 1, 2, 3)
    path = tmp_path / "step-00000003" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"\1")
    (tmp_path / "step-00000002" / "state.json").unlink()
    found = newest_good(tmp_path)
    assert found is not None and found.step == 1
    assert ["step-00000003/model.safetensors" in found.skipped[0], "step-00000002/state.json" in found.skipped[1]] == [
        True
    ] * 2


def test_fallback_with_nothing_good_names_the_newest(tmp_path: Path) -> None:
    save(tmp_path, 1, 2)
    for step in (1, 2):
        (tmp_path / f"step-0000000{step}" / "state.json").unlink()
    with pytest.raises(DamageError, match="step-00000002"):
        newest_good(tmp_path)


def test_a_step_is_found_or_those_there_are_named(tmp_path: Path) -> None:
    save(tmp_path, 5, 15)
    assert find(tmp_path, 15).step == 15
    with pytest.raises(NoMatchError) as caught:
        find(tmp_path, 10)
    assert caught.value.code == "SR-CHECKPOINT-021" and "5, 15" in caught.value.evidence[0]


def test_leaf_digests_outlive_their_checkpoint(tmp_path: Path) -> None:
    save(tmp_path, 0, 1, 2)
    wanted = {"model": digest_leaves({"w": np.full(2, 1)})}
    assert leaf_digests(tmp_path, 1) == wanted
    retain(tmp_path, RetentionPolicy(keep=1, is_thinning=False))
    assert list_steps(tmp_path) == [0, 2] and digested_steps(tmp_path) == [0, 1, 2]
    assert leaf_digests(tmp_path, 1) == wanted
    with pytest.raises(NoMatchError):
        leaf_digests(tmp_path, 3)


def test_damaged_or_exchanged_leaf_digests_are_refused(tmp_path: Path) -> None:
    save(tmp_path, 0, 1, 2, 3)
    retain(tmp_path, RetentionPolicy(keep=1, is_thinning=False))
    one, two = (tmp_path / "digests" / f"step-0000000{step}.json" for step in (1, 2))
    text = one.read_bytes()
    one.write_bytes(text.replace(b"xxh3:", b"xxh3;", 1))
    with pytest.raises(DamageError):
        leaf_digests(tmp_path, 1)
    two.write_bytes(text)
    with pytest.raises(DamageError, match="another step"):
        leaf_digests(tmp_path, 2)


def test_an_index_says_sizes_and_digests_without_reading_tensors(tmp_path: Path) -> None:
    save(tmp_path, 3)
    info = read_index(tmp_path / "step-00000003")
    files = [path for path in info.path.iterdir() if path.name != "checkpoint.json"]
    assert info.nbytes == sum(path.stat().st_size for path in files)
    assert info.identity == "id" and set(info.digests) == {"model"} and list(info.leaf_digests["model"]) == ["w"]


def test_a_file_is_opened_only_if_it_is_one(tmp_path: Path) -> None:
    with pytest.raises(DamageError, match="missing"):
        open_file(tmp_path / "x", "x")
    (tmp_path / "link").symlink_to("/dev/zero")
    with pytest.raises(DamageError, match="link"):
        open_file(tmp_path / "link", "link")
    with pytest.raises(DamageError, match="no regular file"):
        open_file(Path("/dev/zero"), "zero")


def test_a_kill_at_any_operation_of_a_sweep_loses_nothing(faults: Callable[[str, str], list[dict[str, Any]]]) -> None:
    rows = faults("sweep", "die")
    assert len(rows) > 5
    assert all(row["found"]["steps"] == [10, 20] and row["found"]["extra"] == "other" for row in rows)
    assert all(row["done"]["steps"] == [10, 20] for row in rows)
