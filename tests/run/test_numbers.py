"""What a step logged, as plain numbers."""

import numpy as np
import pytest
import torch

from samerun.errors import UsageError
from samerun.run.numbers import digest_numbers, read_numbers
from samerun.run.scopes import Evaluation
from samerun.run.step import Step
from samerun.streams.stream import StreamSource


def test_tensors_numpy_and_python_numbers_are_read() -> None:
    logged = {
        "a": torch.tensor(0.5),
        "b": np.float32(0.25),
        "c": 3,
        "d": True,
        "e": torch.tensor([7]),
        "f": np.int64(4),
    }
    assert read_numbers(logged) == {"a": 0.5, "b": 0.25, "c": 3, "d": 1, "e": 7, "f": 4}
    assert [type(value) for value in read_numbers(logged).values()] == [float, float, int, int, int, int]


@pytest.mark.parametrize("value", ["0.5", None, [1.0], torch.zeros(2), np.zeros(3), 1j])
def test_anything_else_is_refused_by_name(value: object) -> None:
    with pytest.raises(UsageError) as caught:
        read_numbers({"train/x": value})
    assert caught.value.code == "SR-RUN-007" and "train/x" in caught.value.what


def test_the_digest_sees_bits_and_kinds_that_text_hides() -> None:
    digests = [
        digest_numbers({"x": value})
        for value in (0.0, -0.0, 0, 1.0, 1, float("nan"), float("inf"), np.nextafter(1.0, 2.0).item())
    ]
    assert len(set(digests)) == len(digests)


def test_nothing_logged_has_no_digest() -> None:
    assert digest_numbers({}) is None


def test_names_and_order_count() -> None:
    assert digest_numbers({"a": 1.0, "b": 2.0}) != digest_numbers({"a": 2.0, "b": 1.0})
    assert digest_numbers({"a": 1.0}) != digest_numbers({"b": 1.0})


@pytest.mark.parametrize("value", ["hi", None, [1.0], torch.zeros(2)])
def test_what_is_seen_to_be_no_number_is_refused_where_it_is_logged(value: object) -> None:
    step = Step(4, StreamSource(7))
    with pytest.raises(UsageError, match="SR-RUN-007") as caught:
        step.log(note=value)
    line = caught.traceback[0].lineno + 1
    assert caught.value.evidence[0] == f"logged at: test_numbers.py:{line}, in step 4"
    assert "'train/note'" in caught.value.what and type(value).__name__ in caught.value.evidence[1]
    evaluation = Evaluation("test", 8, StreamSource(7))
    with pytest.raises(UsageError, match=r"in the evaluation 'test' at step 8"):
        evaluation.log(note=value)
