"""What a model is told about its task."""

from __future__ import annotations

import pytest

from samerun.trainers.models.shape import Shape, unfit


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (Shape((1, 8, 8), 10, "classes"), "images of 1 x 8 x 8"),
        (Shape((13,), 1, "value"), "rows of 13 numbers"),
        (Shape((128,), 256, "tokens"), "windows of 128 tokens"),
    ],
)
def test_a_misfit_is_described_in_words(shape: Shape, words: str) -> None:
    error = unfit("other", "something else", shape)
    assert words in error.what and error.code == "SR-TRAINER-001"
