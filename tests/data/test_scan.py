"""Listings in one order, digests of content."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch

from samerun.data.scan import digest_arrays, is_arrays, scan
from samerun.errors import MissingError, UsageError


def test_files_are_listed_by_name_whatever_the_disk_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b.txt", "a/z.txt", "a/10.txt", "a/2.txt", ".hidden", "a.txt", "ä.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    wanted = [".hidden", "a.txt", "a/10.txt", "a/2.txt", "a/z.txt", "b.txt", "ä.txt"]
    assert [path.relative_to(tmp_path).as_posix() for path in scan(tmp_path)] == wanted
    walk = os.walk
    monkeypatch.setattr(os, "walk", lambda root: reversed(list(walk(root))))
    assert [path.relative_to(tmp_path).as_posix() for path in scan(tmp_path)] == wanted


def test_a_file_lists_itself_and_nothing_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    assert scan(tmp_path / "x") == [tmp_path / "x"]
    with pytest.raises(MissingError, match="SR-DATA-015"):
        scan(tmp_path / "y")


def test_broken_links_and_linked_folders_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert [path.name for path in scan(tmp_path)] == ["link", "real"]


def test_tensors_and_arrays_with_the_same_content_have_one_digest() -> None:
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    wanted = digest_arrays((values, np.arange(3)))
    assert digest_arrays((torch.from_numpy(values), torch.arange(3))) == wanted
    assert digest_arrays(torch.utils.data.TensorDataset(torch.from_numpy(values), torch.arange(3))) == wanted
    assert digest_arrays((np.asfortranarray(values), np.arange(3).astype(">i8"))) == wanted


BASE = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize(
    "other",
    [BASE.T, BASE.reshape(4, 3), BASE.astype(np.float64), BASE[::-1], -BASE, (BASE,), {"x": BASE}, BASE[:2]],
    ids=["transposed", "shape", "dtype", "order", "sign", "tuple", "dict", "shorter"],
)
def test_content_dtype_shape_and_place_are_in_the_digest(other: object) -> None:
    assert digest_arrays(other) != digest_arrays(BASE)


def test_signs_of_zero_and_half_floats_are_seen() -> None:
    assert digest_arrays(np.array([0.0])) != digest_arrays(np.array([-0.0]))
    assert digest_arrays(torch.ones(3).bfloat16()) != digest_arrays(torch.ones(3).half())
    assert digest_arrays(torch.zeros(0, 3)) != digest_arrays(torch.zeros(3, 0))


def test_objects_have_no_content() -> None:
    with pytest.raises(UsageError, match="SR-DATA-016"):
        digest_arrays(np.array([{}], object))


def test_the_digest_is_pinned() -> None:
    assert digest_arrays(np.arange(3)) == "sha256:51b6285e8fb2fd3f8ee8ff5240965a5b90240d712084be66effb77e7981c09be"
    assert is_arrays(BASE)
