"""Paths, and under which of them a value is reported."""

from __future__ import annotations

from samerun.run.carried.place import Place

ROOT = Place("model", "attribute", "model", "save it", is_rebound=True)


def test_an_attribute_is_reported_by_its_own_path() -> None:
    place = ROOT.attribute("layer", "attribute", "so").attribute("calls", "attribute", "thus")
    assert (place.path, place.name, place.owner, place.how_to_save) == ("model.layer.calls", "calls", "", "thus")
    assert (place.depth, place.is_rebound) == (2, False)


def test_an_item_is_reported_under_its_container() -> None:
    place = ROOT.item("'a'", "a").item("0")
    assert (place.path, place.owner, place.name) == ("model['a'][0]", "model", "a")
    assert (ROOT.length().path, ROOT.length().owner) == ("model (length)", "model")
    assert place.attribute("x", "attribute", "so").owner == ""


def test_all_below_a_whole_is_reported_as_the_whole() -> None:
    whole = ROOT.whole("object", "track it")
    below = whole.attribute("state", "attribute", "so").item("0").inner(" > 1").whole("iterator", "no")
    assert (below.owner, below.kind, below.how_to_save) == ("model", "object", "track it")
    assert whole.apart("closure of f: n", "closure", "n", "so").owner == "model"


def test_what_has_a_name_of_its_own_leaves_the_path() -> None:
    place = ROOT.item("0").apart("closure of f: n", "closure", "n", "so")
    assert (place.path, place.owner, place.kind) == ("closure of f: n", "", "closure")
