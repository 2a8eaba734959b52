"""Immutable pieces: one file for each content, named by it, believed only where the bytes have the name."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from samerun.checkpoint.chunks import chunk_path, delete_unnamed, has_chunk, read_chunk, write_chunk
from samerun.checkpoint.read import read_checkpoint
from samerun.checkpoint.write import write_checkpoint
from samerun.errors import DamageError
from samerun.state.digest import digest_tree
from samerun.state.tree import pack

Faults = Callable[[str, str], list[dict[str, Any]]]
PIECE = {"w": torch.arange(5.0), "a": np.arange(3), "n": [1, 0.5, "x"], "v": b"y" * 2000}


def test_a_piece_comes_back_as_it_was(tmp_path: Path) -> None:
    name = write_chunk(tmp_path, PIECE)
    assert digest_tree(read_chunk(tmp_path, name)) == digest_tree(PIECE)
    assert digest_tree(read_chunk(tmp_path, write_chunk(tmp_path, None))) == digest_tree(None)


def test_equal_pieces_are_one_file(tmp_path: Path) -> None:
    assert write_chunk(tmp_path, PIECE) == write_chunk(tmp_path, dict(PIECE))
    assert len(os.listdir(tmp_path / "chunks")) == 1


def test_checkpoints_share_pieces_and_name_them_in_order(tmp_path: Path) -> None:
    names = [write_chunk(tmp_path, step) for step in range(3)]
    for step in (1, 2, 3):
        pool = {"names": names[:step]}
        write_checkpoint(tmp_path, step, {"pool": pack(pool)}, identity="id", chunks={"pool": names[:step]})
    read = read_checkpoint(tmp_path / "step-00000003")
    assert read.index.components["pool"].chunks == tuple(names)
    assert [read_chunk(tmp_path, name) for name in read.tree("pool")["names"]] == [0, 1, 2]


def test_a_changed_byte_anywhere_is_found(tmp_path: Path) -> None:
    name = write_chunk(tmp_path, PIECE)
    path = chunk_path(tmp_path, name)
    whole = path.read_bytes()
    for at in range(0, len(whole), 37):
        changed = bytearray(whole)
        changed[at] ^= 4
        path.write_bytes(changed)
        with pytest.raises(DamageError, match="not those of its name"):
            read_chunk(tmp_path, name)


@pytest.mark.parametrize(
    "name", ["", "sha256:", "sha256:../../x", "sha256:" + "G" * 64, "../x", "sha256:" + "0" * 63 + "/"]
)
def test_a_name_that_is_no_digest_reaches_no_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(DamageError):
        chunk_path(tmp_path, name)


def test_a_missing_or_linked_piece_is_damage(tmp_path: Path) -> None:
    name = write_chunk(tmp_path, PIECE)
    path = chunk_path(tmp_path, name)
    path.rename(tmp_path / "elsewhere")
    with pytest.raises(DamageError, match="missing"):
        read_chunk(tmp_path, name)
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DamageError, match="link"):
        read_chunk(tmp_path, name)


def planted(folder: Path, data: bytes) -> str:
    name = f"sha256:{hashlib.sha256(data).hexdigest()}"
    (folder / "chunks").mkdir(exist_ok=True)
    chunk_path(folder, name).write_bytes(data)
    return name


@pytest.mark.parametrize(
    "note",
    [
        {},
        {"structure": {"call": 1}, "layout": {}},
        {"structure": 1},
        {"structure": {"tensor": {"at": "x"}}, "layout": {}},
        [],
        None,
    ],
)
def test_a_planted_piece_with_the_right_name_and_no_sense_is_damage(note: object, tmp_path: Path) -> None:
    text = json.dumps({"__metadata__": {"samerun": json.dumps(note)}}).encode()
    for data in (len(text).to_bytes(8, "little") + text, b"", b"\xff" * 8, text):
        with pytest.raises(DamageError):
            read_chunk(tmp_path, planted(tmp_path, data))


def test_what_is_named_stays(tmp_path: Path) -> None:
    names = [write_chunk(tmp_path, step) for step in range(3)]
    (tmp_path / "chunks" / "README").write_text("mine")
    assert delete_unnamed(tmp_path, names[:1]) == sorted(names[1:])
    assert has_chunk(tmp_path, names[0]) and (tmp_path / "chunks" / "README").exists()
    assert delete_unnamed(tmp_path / "none", []) == []


def test_a_kill_at_any_operation_leaves_no_half_piece(faults: Faults) -> None:
    rows = faults("chunk", "die")
    assert len(rows) > 5 and all(row["found"]["latest"] == 10 for row in rows)
