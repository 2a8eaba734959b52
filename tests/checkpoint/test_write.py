"""Writing: at every instant a complete checkpoint exists and `latest` means it; what fails leaves the old one whole."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open

from samerun.base import files
from samerun.checkpoint import filewriter, write
from samerun.checkpoint.format import FileFacts, aside_name
from samerun.checkpoint.read import read_checkpoint
from samerun.checkpoint.store import latest, list_rubble, list_steps, sweep_rubble
from samerun.checkpoint.write import write_checkpoint
from samerun.errors import DamageError, MissingError, UsageError
from samerun.state.digest import digest_tree
from samerun.state.packed import Packed
from samerun.state.tree import pack

Faults = Callable[[str, str], list[dict[str, Any]]]


def save(folder: Path, step: int, **more: Any) -> Path:
    return write_checkpoint(folder, step, {"model": pack({"w": np.full(3, step)})}, identity="id", **more).path


@pytest.mark.parametrize("work", ["first", "next", "replace"])
def test_a_kill_at_any_operation_of_a_save_leaves_the_old_checkpoint_or_the_new_one(work: str, faults: Faults) -> None:
    rows = faults(work, "die")
    kinds = {row["said"].split()[0] for row in rows if row["said"]}
    assert {"mkdir", "write", "fsync", "rename"} <= kinds and len(rows) > 10
    assert [row["code"] for row in rows] == [9] * (len(rows) - 1) + [0]
    old, new = {"first": (None, 10), "next": (10, 20), "replace": (10, 10)}[work]
    assert {row["found"]["latest"] for row in rows} == {old, new}
    published = [row["found"]["latest"] == new and row["found"]["extra"] == rows[-1]["done"]["extra"] for row in rows]
    assert published == sorted(published)
    assert {row["done"]["latest"] for row in rows} == {new}


@pytest.mark.parametrize(
    ("work", "fault", "code"),
    [("next", "ENOSPC", "SR-FILE-001"), ("replace", "EROFS", "SR-FILE-002"), ("next", "EIO", "SR-FILE-003")],
)
def test_an_error_at_any_operation_is_named_and_leaves_a_checkpoint(
    work: str, fault: str, code: str, faults: Faults
) -> None:
    rows = faults(work, fault)
    assert all(row["said"].endswith(code) and row["code"] == 4 for row in rows[:-1])
    assert all(row["found"]["latest"] in (10, 20) for row in rows)


def test_a_full_disk_leaves_the_first_checkpoint_and_no_rubble(tmp_path: Path) -> None:
    save(tmp_path, 1)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(MissingError) as caught:
            write_checkpoint(tmp_path, 2, {"model": pack({"w": np.zeros(300_000)})}, identity="id")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.code == "SR-FILE-001" and "model.safetensors" in caught.value.what
    assert os.listdir(tmp_path) == ["step-00000001"]
    assert latest(tmp_path) is not None


def test_what_safetensors_reads_is_what_was_saved(tmp_path: Path) -> None:
    state = {"a": torch.randn(3, 4), "b": torch.ones(2, dtype=torch.bfloat16), "t": torch.arange(6).reshape(2, 3).t()}
    path = write_checkpoint(tmp_path, 1, {"model": pack(state)}, identity="id").path
    with safe_open(path / "model.safetensors", "pt") as file:
        assert sorted(file.keys()) == ["a", "b", "t"] and list(file.metadata()) == ["samerun"]
        assert all(torch.equal(file.get_tensor(name), value) for name, value in state.items())


def test_equal_states_make_equal_files(tmp_path: Path) -> None:
    def write_once(folder: Path) -> dict[str, bytes]:
        state = {"w": torch.arange(6.0), "x/y": np.ones(3), "n": [1, 0.5]}
        path = write_checkpoint(folder, 7, {"b": pack(state), "a": pack({"v": 1})}, identity="id", logs={"m": 1}).path
        return {file.name: file.read_bytes() for file in path.iterdir()}

    assert write_once(tmp_path / "1") == write_once(tmp_path / "2")


def test_a_component_without_tensors_has_no_file_of_its_own(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path, 1, {"values": pack({"n": 1}), "none": pack(None)}, identity="id").path
    assert sorted(os.listdir(path)) == ["checkpoint.json", "state.json"]
    assert read_checkpoint(path).trees() == {"values": {"n": 1}, "none": None}


def test_a_checkpoint_of_nothing_is_a_checkpoint(tmp_path: Path) -> None:
    assert read_checkpoint(write_checkpoint(tmp_path, 0, {}, identity="id").path).trees() == {}


def test_saving_the_same_again_changes_no_byte(tmp_path: Path) -> None:
    path = save(tmp_path, 5, logs={"metrics": {"bytes": 3}}, extra={"epoch": 1})
    before = {file: (file.stat().st_ino, file.stat().st_mtime_ns) for file in path.iterdir()}
    assert save(tmp_path, 5, logs={"metrics": {"bytes": 3}}, extra={"epoch": 1}) == path
    assert {file: (file.stat().st_ino, file.stat().st_mtime_ns) for file in path.iterdir()} == before


@pytest.mark.parametrize("change", [{"extra": 2}, {"logs": {"metrics": 4}}, {"identity": "other"}])
def test_another_state_of_the_same_step_takes_its_place(change: dict[str, Any], tmp_path: Path) -> None:
    save(tmp_path, 5, extra=1, logs={"metrics": 3})
    given = {"identity": "id", "extra": 1, "logs": {"metrics": 3}} | change
    write_checkpoint(tmp_path, 5, {"model": pack({"w": np.full(3, 5)})}, **given)
    found = latest(tmp_path)
    assert found is not None and (found.index.extra, found.identity) == (given["extra"], given["identity"])
    assert os.listdir(tmp_path) == ["step-00000005"]


@pytest.mark.parametrize("name", ["checkpoint.json", "state.json", "model.safetensors"])
def test_a_damaged_checkpoint_of_the_same_step_is_replaced(name: str, tmp_path: Path) -> None:
    path = save(tmp_path, 5)
    (path / name).write_bytes((path / name).read_bytes()[:-3] + b"xyz")
    assert read_checkpoint(save(tmp_path, 5)).step == 5


def test_a_replacement_that_was_cut_short_is_finished_by_the_sweep(tmp_path: Path) -> None:
    path = save(tmp_path, 5)
    path.rename(tmp_path / aside_name(5))
    assert list_steps(tmp_path) == [5] and latest(tmp_path) is not None
    assert sweep_rubble(tmp_path) == []
    assert os.listdir(tmp_path) == ["step-00000005"]


def test_a_checkpoint_set_aside_is_rubble_once_the_new_one_stands(tmp_path: Path) -> None:
    save(tmp_path, 5).rename(tmp_path / aside_name(5))
    save(tmp_path, 5, extra="new")
    assert [path.name for path in list_rubble(tmp_path)] == [aside_name(5)]
    found = latest(tmp_path)
    assert found is not None and found.index.extra == "new"
    sweep_rubble(tmp_path)
    assert os.listdir(tmp_path) == ["step-00000005"]


def test_the_index_is_the_last_file_written(tmp_path: Path) -> None:
    order: list[str] = []
    files.on_operation(lambda operation, path: order.append(path.name) if operation == "write" else None)
    try:
        save(tmp_path, 1)
    finally:
        files.on_operation(None)
    assert order[-1] == "checkpoint.json" and "state.json" in order and "model.safetensors" in order


def test_a_file_that_does_not_read_back_is_never_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filewriter, "_read_back", lambda path: (0, "xxh3:0"))
    with pytest.raises(DamageError, match="read back"):
        save(tmp_path, 1)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["", "a/b", "../x", ".hidden", "a b", "-x", "x" * 101, "é", "a.", "1a"])
def test_a_name_that_cannot_be_a_file_is_refused_before_anything_is_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="SR-CHECKPOINT-001"):
        write_checkpoint(tmp_path / "c", 1, {name: pack(1)}, identity="id")
    assert not (tmp_path / "c").exists()


def test_names_that_differ_by_case_only_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="case"):
        write_checkpoint(tmp_path, 1, {"Model": pack(1), "model": pack(2)}, identity="id")


def test_the_digest_in_the_index_is_the_one_of_the_state(tmp_path: Path) -> None:
    state = {"w": torch.randn(5), "odd": torch.randn(4, 4)[:, 1]}
    info = write_checkpoint(tmp_path, 1, {"model": pack(state)}, identity="id")
    assert info.digests == {"model": digest_tree(state)}
    assert isinstance(info.index.files["state.json"], FileFacts) and write.STATE == "state.json"
    assert isinstance(pack(state), Packed)
