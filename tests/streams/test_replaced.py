"""Names are replaced for a while, and put back."""

from __future__ import annotations

from types import SimpleNamespace

from samerun.streams.replaced import Replaced


def test_everything_is_put_back() -> None:
    place, replaced = SimpleNamespace(draw=1, seed=2), Replaced()
    replaced.wrap(place, "draw", lambda original: (original, "wrapped"))
    replaced.put(place, "seed", 9)
    assert (place.draw, place.seed) == ((1, "wrapped"), 9)
    assert replaced.holds(place, "draw") and replaced.original(place, "draw") == 1
    replaced.undo()
    assert (place.draw, place.seed) == (1, 2) and not replaced.holds(place, "draw")


def test_a_second_replacement_of_one_name_does_nothing() -> None:
    place, replaced = SimpleNamespace(draw=1), Replaced()
    replaced.put(place, "draw", 2)
    replaced.put(place, "draw", 3)
    assert place.draw == 2
    replaced.undo()
    assert place.draw == 1


def test_what_somebody_else_put_there_since_is_left_to_them() -> None:
    place, replaced = SimpleNamespace(draw=1), Replaced()
    replaced.put(place, "draw", 2)
    place.draw = 5
    replaced.undo()
    assert place.draw == 5
