"""A walk is read as it was written, in the order of the walk."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.base.sealed import write_sealed
from samerun.errors import DamageError, NoMatchError
from samerun.record.layout import RUN_FORMAT
from samerun.record.walked import Boundary, Leaf, Walk

LEAF = Leaf("attribute", "int 1", "1", "b", "track it")


def test_a_walk_is_read_as_it_was_written(tmp_path: Path) -> None:
    walk = Walk({0: Boundary("xxh3:0", {"b": LEAF, "a": LEAF}), 10: Boundary("xxh3:1", {})}, ("c: too large",))
    walk.write(tmp_path / "walk.json")
    read = Walk.read(tmp_path / "walk.json")
    assert read == walk
    assert list(read.boundaries[0].leaves) == ["b", "a"]


def test_what_is_no_walk_is_refused(tmp_path: Path) -> None:
    write_sealed(tmp_path / "walk.json", {"schema": "samerun.walk", "format": RUN_FORMAT, "boundaries": {"x": 1}})
    with pytest.raises(DamageError):
        Walk.read(tmp_path / "walk.json")


def test_a_walk_that_nobody_wrote_is_no_match(tmp_path: Path) -> None:
    with pytest.raises(NoMatchError, match="SR-RECORD-027"):
        Walk.read(tmp_path / "walk.json")
