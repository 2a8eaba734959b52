"""What decides a run before it has a folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields

import pytest

from samerun.record.reader import RunRecord
from samerun.run.opening import Opening


def test_an_opening_is_decided_once() -> None:
    opening = object.__new__(Opening)
    for field in fields(Opening):
        with pytest.raises(FrozenInstanceError):
            setattr(opening, field.name, None)


def test_what_an_opening_says_stands_in_the_manifest(train: Callable[..., RunRecord]) -> None:
    manifest = train(1, tier="fast", threads=1).manifest
    assert (manifest.name, manifest.tier, manifest.grade, manifest.parent) == ("tiny", "fast", "full", None)
    assert train(1, "strict", exact_except=["aten::cumsum"]).manifest.exact_except == ("aten::cumsum",)


def test_absolute_paths_of_this_machine_stand_in_local_json_alone(train: Callable[..., RunRecord]) -> None:
    folder = train(1).folder
    project = str(folder.parent.parent)
    holding = sorted(path.name for path in folder.rglob("*.json*") if project.encode() in path.read_bytes())
    assert holding == ["local.json"]
    assert json.loads((folder / "local.json").read_bytes())["script"] == f"{project}/project/train.py"
