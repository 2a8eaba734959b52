"""Faults of data that make a comparison worthless."""

from __future__ import annotations

import numpy as np
import pytest

from samerun.data.check import Fault, check_labels, duplicates, leaks
from samerun.data.manifest import Entry
from samerun.errors import UsageError


def entry(name: str, content: str, size: int = 1) -> Entry:
    return Entry(name, size, content)


def test_one_content_twice_and_empty_files_are_found() -> None:
    found = duplicates([entry("b", "x"), entry("a", "x"), entry("c", "y"), entry("d", "e", 0)])
    assert found == [Fault("duplicate", ("a", "b")), Fault("empty", ("d",))]


def test_one_content_in_two_splits_is_a_leak_and_twice_in_one_is_none() -> None:
    found = leaks({"train": [entry("a", "x"), entry("b", "x")], "test": [entry("c", "x"), entry("d", "y")]})
    assert found == [Fault("leak", ("train:a", "train:b", "test:c"))]
    assert leaks({"train": [entry("a", "x"), entry("b", "x")], "test": [entry("d", "y")]}) == []


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ([], "there are none"),
        ([0.0, float("nan"), 1.0], r"NaN in 1 rows, first: \[1\]"),
        (np.array([1, None, 2], object), r"first: \[1\]"),
        ([3, 3, 3], "all 3 are 3"),
    ],
)
def test_useless_labels_are_refused_with_the_reason(labels: object, found: str) -> None:
    with pytest.raises(UsageError, match="SR-DATA-018") as caught:
        check_labels(labels)  # type: ignore[arg-type]
    assert caught.match(found)


@pytest.mark.parametrize("labels", [[0, 1], ["cat", "dog"], np.array([0.5, 1.5])])
def test_labels_of_two_classes_pass(labels: object) -> None:
    check_labels(labels)  # type: ignore[arg-type]
