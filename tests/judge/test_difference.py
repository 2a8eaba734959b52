from __future__ import annotations

import dataclasses
import json

import pytest

from samerun.judge.difference import Difference, Verdict


def test_a_verdict_is_json_with_the_documented_fields_and_the_schema_first() -> None:
    first = Difference(41, "draws", "streams", stream="data/order/epoch/{epoch}", a=1, b=2)
    document = json.loads(json.dumps(Verdict("different", "they part", {"trail": {}}, first, 41).as_json()))
    assert next(iter(document)) == "schema" and document["schema"] == "samerun.diff/1"
    assert {"verdict", "sections", "first_difference"} <= set(document)
    assert {"step", "component", "leaf", "kind", "stream", "op"} <= set(document["first_difference"])


def test_no_difference_is_null() -> None:
    assert Verdict("same", "", {}).as_json()["first_difference"] is None


def test_answers_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Difference(1, "value").step = 2  # type: ignore[misc]


@pytest.mark.parametrize(
    ("difference", "sentence"),
    [
        (Difference(3, "batch", "batch", None, "xxh3:1", "xxh3:2"), "the batches hold other items"),
        (Difference(3, "value", "model", "fc.bias", "xxh3:1", "xxh3:2"), "model.fc.bias is other bits"),
        (Difference(3, "structure", "metrics", "health/x", None, 1.0), "health/x is not there on both sides"),
        (Difference(3, "ambient", "ambient", None, "1", "2"), "something drew outside its stream"),
        (Difference(3, "ambient", "ambient", None, "1.2.3.-", "1.9.3.-"), "NumPy's global generator moved differently"),
        (Difference(3, "ambient", "ambient", None, "1.2.3.4", "1.2.9.8"), "global generators of torch and CUDA moved"),
        (Difference(3, "ambient", "ambient", None, "1.2.3.-", "1.9.3.-"), "stream (2 | 9)"),
        (Difference(3, "ambient", "ambient", None, "1", "2"), "a global generator moved differently"),
        (Difference(3, "value", "model", "w", "1", "2", seen_at=9), "seen in the checkpoint before step 9"),
    ],
)
def test_a_difference_reads_as_a_sentence(difference: Difference, sentence: str) -> None:
    assert sentence in str(difference) and str(difference).startswith("step 3: ")
