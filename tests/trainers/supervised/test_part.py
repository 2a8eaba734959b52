"""The supervised trainer as a part."""

from __future__ import annotations

from samerun.config.parts import find_part, load_build
from samerun.trainers.supervised.part import PART


def test_it_is_found_by_its_entry_point_and_can_be_prepared() -> None:
    assert find_part("trainers", "supervised", None) == PART
    assert callable(load_build(PART))
