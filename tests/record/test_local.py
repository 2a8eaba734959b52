"""Paths of this machine stand in local.json alone, and come back from there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.base.places import hide_paths
from samerun.base.sealed import read_sealed
from samerun.errors import MissingError
from samerun.record import layout
from samerun.record.bundle.marker import Marker, write_marker
from samerun.record.local import (
    arguments_of,
    local_facts,
    recorded_arguments,
    recorded_folder,
    recorded_places,
    values_of,
    write_local,
)
from samerun.record.manifest import Entry, Manifest, write_manifest
from samerun.record.reader import RunRecord
from samerun.record.resolved import ResolvedConfig, write_config

VALUES: dict[str, Any] = {"task": {"path": "/data/set/v1", "more": ["/data/a", "b"]}, "token": "file:/data/key", "n": 3}
ARGV = ("--data", "/data/set/v1", "--lr=3")


def folder_of(tmp_path: Path, *, is_here: bool) -> RunRecord:
    folder = tmp_path / "run-00000000"
    folder.mkdir()
    shown, places = hide_paths(VALUES)
    entry = Entry("script", ("--data", "[local path]/v1", "--lr=3"), "train.py")
    now = "2026-01-01T00:00:00Z"
    write_manifest(folder, Manifest("run", "0" * 16, "0" * 16, entry, now, now))
    write_config(folder, ResolvedConfig(shown, {}, {}, "sha256:0"), None)
    if is_here:
        write_local(folder, {**recorded_places(places), **recorded_arguments(ARGV)})
    return RunRecord.open(folder)


def test_what_was_taken_out_comes_back_in_its_place(tmp_path: Path) -> None:
    record = folder_of(tmp_path, is_here=True)
    assert b'"/data/' not in (record.folder / layout.CONFIG).read_bytes()
    assert values_of(record) == VALUES
    assert arguments_of(record) == ARGV
    assert record.config.values["task"]["path"].startswith("[local path]")


def test_elsewhere_each_path_is_asked_for_by_its_name(tmp_path: Path) -> None:
    record = folder_of(tmp_path, is_here=False)
    assert local_facts(record) == {}
    with pytest.raises(MissingError) as caught:
        values_of(record)
    assert caught.value.code == "SR-RECORD-035"
    assert "-s task.path=PATH" in caught.value.do and "-s token=PATH" in caught.value.do
    given = ["task.path=/x", "task.more.0=/y", "token=env:T"]
    assert values_of(record, given)["n"] == 3
    with pytest.raises(MissingError):
        arguments_of(record)


def test_a_record_without_paths_needs_no_such_file() -> None:
    assert recorded_places({}) == {} and recorded_arguments(()) == {}
    assert recorded_arguments(["--api-key", "abcd1234"]) == {"argv": ["--api-key", "[redacted]"]}


def test_the_file_names_its_schema_and_replaces_an_older_one(tmp_path: Path) -> None:
    record = folder_of(tmp_path, is_here=True)
    write_local(record.folder, {**local_facts(record), "root": "/code"})
    write_local(record.folder, {"cwd": "/here"})
    assert read_sealed(record.folder / layout.LOCAL) == {"schema": "samerun.local", "format": 1, "cwd": "/here"}


def test_a_folder_is_one_only_where_it_is_named_in_full(tmp_path: Path) -> None:
    record = folder_of(tmp_path, is_here=False)
    assert recorded_folder(record, "root") is None
    write_local(record.folder, {"root": "/code", "cwd": "here"})
    record = RunRecord.open(record.folder)
    assert (recorded_folder(record, "root"), recorded_folder(record, "cwd")) == (Path("/code"), None)


def test_data_that_came_with_a_bundle_stands_for_its_path_on_the_other_machine(tmp_path: Path) -> None:
    record = folder_of(tmp_path, is_here=False)
    write_marker(record.folder, Marker("sha256:0", (), {"v1/rows.csv": "sha256:0", "a": "sha256:0"}))
    folder = record.folder / layout.UNPACKED_DATA
    values = values_of(record, ["token=env:T"])
    assert values["task"] == {"path": str(folder / "v1"), "more": [str(folder / "a"), "b"]}
