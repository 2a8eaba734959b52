"""Names in a bundle mean one file on every system."""

from __future__ import annotations

import unicodedata

import pytest

from samerun.record.bundle.names import name_fault, twins


@pytest.mark.parametrize("name", ["bundle.json", "run/checkpoints/step-00000012/model.safetensors", "data/ä b/ö.csv"])
def test_a_plain_relative_path_is_taken(name: str) -> None:
    assert name_fault(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "../x", "a/../x", "a/./x", "a//x", "/etc/passwd", "a/", "C:/x", "C:x", "a\\..\\x", "a\0b",
        "a\nb", "a\x7f", "a?", "x.", "a /b", "\udcff", "x" * 256, "/".join(["a" * 200] * 6), "/".join("a" * 33),
    ],
)  # fmt: skip
def test_a_name_that_leads_out_or_means_something_else_elsewhere_is_refused(name: str) -> None:
    assert name_fault(name) is not None


def test_names_that_are_one_where_case_or_unicode_forms_are_folded_are_twins() -> None:
    e_acute = "run/\u00e9.json"
    assert twins(["a", "b", e_acute]) is None
    assert twins(["run/A.json", "x", "run/a.json"]) == ("run/A.json", "run/a.json")
    assert twins([e_acute, unicodedata.normalize("NFD", e_acute)]) is not None
    assert twins(["a", "a"]) == ("a", "a")
    assert twins(["Data", "data/x.csv"]) == ("Data", "data/x.csv")
