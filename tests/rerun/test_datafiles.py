"""Data are found where the settings say, and only while they are what the run read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from samerun.record import layout
from samerun.record.bundle.marker import Marker, write_marker
from samerun.record.identity import Identity, write_identity
from samerun.record.reader import RunRecord
from samerun.record.resolved import ResolvedConfig, write_config
from samerun.rerun.datafiles import find_data
from samerun.run.inputs import Inputs


@pytest.fixture
def reading(record: Any, tmp_path: Path) -> Any:
    """Make a run that read these paths of its project, under settings that name them."""

    def make(*paths: str, settings: dict[str, Any] | None = None) -> RunRecord:
        made, inputs = record(), Inputs()
        for path in paths:
            inputs.add_path(str(tmp_path / "project" / path), revision=None, is_entered=False)
        write_identity(made.folder, Identity({"seed": "7", "inputs": inputs.facts}, {}))
        values = settings if settings is not None else {"task": {"path": list(paths)}}
        write_config(made.folder, ResolvedConfig(values, {}, {}, "sha256:0"), None)
        return RunRecord.open(made.folder)

    (tmp_path / "project/data/pictures/a").mkdir(parents=True)
    (tmp_path / "project/data/rows.csv").write_text("a,b\n1,2\n")
    for name in ("a/1.png", "a/2.png", "3.png"):
        (tmp_path / "project/data/pictures" / name).write_bytes(name.encode())
    return make


def test_a_file_and_a_folder_are_found_by_their_path_in_the_project(reading: Any, tmp_path: Path) -> None:
    found = find_data(reading("data/rows.csv", "data/pictures"))
    assert found.left_out == ()
    assert {one.name: sorted(one.files) for one in found.found} == {
        "input/pictures": [f"data/pictures/{name}" for name in ("3.png", "a/1.png", "a/2.png")],
        "input/rows.csv": ["data/rows.csv"],
    }


def test_files_in_a_linked_folder_come_along(reading: Any, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far/4.png").write_bytes(b"4")
    (tmp_path / "project/data/pictures/b").symlink_to(tmp_path / "far")
    (one,) = find_data(made := reading("data/pictures")).found
    assert sorted(one.files)[-1] == "data/pictures/b/4.png" and len(one.files) == 4
    assert one.files["data/pictures/b/4.png"].read_bytes() == b"4"
    assert (
        "it holds"
        in find_data(made, limit_bytes=sum(len(name) for name in ("a/1.png", "a/2.png", "3.png"))).left_out[0]
    )


def test_data_that_settings_name_elsewhere_are_called_as_the_input(reading: Any, tmp_path: Path) -> None:
    made = reading("data/rows.csv", settings={"path": str(tmp_path / "project/data/rows.csv")})
    (one,) = find_data(made).found
    assert list(one.files) == ["rows.csv"]


def test_changed_missing_and_too_large_data_stay_and_are_said(reading: Any, tmp_path: Path) -> None:
    made = reading("data/rows.csv", "data/pictures")
    assert "it holds" in find_data(made, limit_bytes=9).left_out[0] and len(find_data(made, 9).found) == 1
    (tmp_path / "project/data/rows.csv").write_text("changed")
    (line,) = find_data(made).left_out
    assert line == "input/rows.csv: nothing here has the content that the run read"


def test_data_that_may_not_be_read_stay(reading: Any, tmp_path: Path) -> None:
    made = reading("data/rows.csv", settings={"path": "/" + "x/" * 3000 + "rows.csv"})
    (tmp_path / "project/data/rows.csv").rename(tmp_path / "project/rows.csv")
    assert len(find_data(made).found) == 1


def test_a_name_that_cannot_be_everywhere_stays(reading: Any, tmp_path: Path) -> None:
    (tmp_path / "project/data/a?.csv").write_text("x")
    (line,) = find_data(reading("data/a?.csv")).left_out
    assert "means something else elsewhere" in line


def test_data_of_an_unpacked_run_are_those_that_came_along(reading: Any, tmp_path: Path) -> None:
    made = reading("data/rows.csv")
    place = made.folder / layout.UNPACKED_DATA / "data"
    place.mkdir(parents=True)
    os.rename(tmp_path / "project/data/rows.csv", place / "rows.csv")
    (made.folder / layout.LOCAL).unlink()
    write_marker(made.folder, Marker("sha256:0", (), {"data/rows.csv": "sha256:0"}))
    (one,) = find_data(RunRecord.open(made.folder)).found
    assert one.files == {"data/rows.csv": place / "rows.csv"}


def test_data_in_memory_are_in_no_file(record: Any) -> None:
    made = record()
    write_identity(made.folder, Identity({"inputs": {"dataset/data": "sha256:0"}}, {}))
    assert find_data(RunRecord.open(made.folder)).left_out == ("dataset/data: it was in memory, not in a file",)
