"""The file that says that a folder came out of a bundle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.base.digest import sha256
from samerun.base.sealed import write_sealed
from samerun.errors import DamageError
from samerun.record import layout
from samerun.record.bundle.marker import Marker, brought, check_data_files, data_of, read_marker, write_marker

MARKER = Marker("sha256:0", (2, 4), {"data/x.csv": sha256(b"1")})


def test_a_marker_reads_back_and_a_run_made_here_has_none(tmp_path: Path) -> None:
    assert read_marker(tmp_path) is None
    write_marker(tmp_path, MARKER)
    assert read_marker(tmp_path) == MARKER


@pytest.mark.parametrize(
    "wrong", [{"bundle": 3}, {"without": None}, {"without": ["2"]}, {"data": []}, {"data": {"../x": "sha256:0"}}]
)
def test_a_marker_that_cannot_be_is_damage(tmp_path: Path, wrong: dict[str, Any]) -> None:
    document = {"schema": "samerun.unpacked", "format": 1, "bundle": "sha256:0", "without": [], "data": {}}
    write_sealed(tmp_path / layout.UNPACKED, {**document, **wrong})
    with pytest.raises(DamageError, match="SR-RECORD-021"):
        read_marker(tmp_path)


def test_data_that_came_along_are_covered(tmp_path: Path) -> None:
    path = tmp_path / layout.UNPACKED_DATA / "data/x.csv"
    with pytest.raises(DamageError, match="SR-RECORD-022"):
        check_data_files(tmp_path, MARKER)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"1")
    check_data_files(tmp_path, MARKER)
    path.write_bytes(b"2")
    with pytest.raises(DamageError, match=r"x\.csv"):
        check_data_files(tmp_path, MARKER)


def test_data_that_came_along_is_found_by_its_path_or_by_the_last_part_of_it(tmp_path: Path) -> None:
    assert data_of(tmp_path) == {} and brought(tmp_path, "data/x.csv") is None
    write_marker(tmp_path, MARKER)
    place = tmp_path / layout.UNPACKED_DATA
    assert data_of(tmp_path) == {"data/x.csv": place / "data/x.csv"}
    assert brought(tmp_path, "data") == brought(tmp_path, "/far/data") == place / "data"
    assert brought(tmp_path, "dat") is None and brought(tmp_path, "x.csv") is None and brought(tmp_path, "") is None
