"""A text that was drawn is told from one that was written."""

from __future__ import annotations

from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

import pytest

from samerun.base.drawn import entropy, looks_drawn, looks_issued

ALPHABETS = {
    "base 62": (ascii_letters + digits, 24),
    "base 64": (ascii_letters + digits + "+/", 40),
    "hex": ("0123456789abcdef", 32),
    "base 36": (ascii_lowercase + digits, 32),
    "base 32": (ascii_uppercase + "234567", 32),
}


@pytest.mark.parametrize("name", ALPHABETS)
def test_at_least_95_of_100_drawn_texts_look_drawn(name: str) -> None:
    alphabet, length = ALPHABETS[name]
    random = Random(name)
    found = sum(looks_drawn("".join(random.choice(alphabet) for _ in range(length))) for _ in range(1000))
    assert found >= 950


@pytest.mark.parametrize(
    "text",
    [
        "transformer.h.11.mlp.c_fc.weight",
        "models/resnet50/v1/weights",
        "meta-llama/Llama-3.1-8B-Instruct",
        "2026-01-31T12:00:00.123456",
        "550e8400-e29b-41d4-a716-446655440000",
        "ResNetForImageClassification",
        "step-00000012-of-00000042",
        "configs/experiment/a1b2c3d4e5f6a7b8.yaml",
        "/mnt/a1B2c3D4e5F6g7H8i9J0",
        "aaaaaaaaaaaaaaaaaaaa1",
        "two words a1B2c3D4e5F6g7H8",
        "short1A2b",
        "1234567890123456",
        "",
    ],
)
def test_a_written_text_does_not(text: str) -> None:
    assert not looks_drawn(text)


def test_a_name_behind_a_prefix_was_not_issued() -> None:
    assert not looks_issued("sk-learn-digits-classification-2")
    assert looks_issued("sk-abcdefgh12345678")


def test_the_entropy_is_that_of_the_letters() -> None:
    assert entropy("") == 0.0 and entropy("aaaa") == 0.0
    assert entropy("abab") == 1.0 and entropy("abcdefgh") == 3.0
