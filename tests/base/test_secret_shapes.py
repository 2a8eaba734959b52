"""Shapes of issued secrets: each is searched only where its anchor stands. The corpus is in test_redact_corpus.py."""

from __future__ import annotations

from random import Random

import pytest
from secret_corpus import issued

from samerun.base.secret_shapes import SHAPES, shaped


@pytest.mark.parametrize("name", sorted(issued(Random(0))))
def test_the_whole_of_an_issued_secret_is_found(name: str) -> None:
    for seed in range(20):
        secret = issued(Random(seed))[name]
        spans = sorted(shaped(f"a {secret} z"))
        assert spans and spans[0][0] == 2, (secret, spans)
        assert max(end for _, end in spans) == 2 + len(secret), (secret, spans)


def test_a_shape_without_its_anchor_is_not_searched() -> None:
    for shape in SHAPES:
        assert list(shape.spans("nothing here")) == []
        assert all(anchor for anchor in shape.anchors)


@pytest.mark.parametrize(
    "text",
    [
        "ghp_short",
        "sk-learn-digits-classification-2",
        "xoxo",
        "AKIAshort",
        "eyJhbGciOiJIUzI1NiJ9",
        "SG.short.x",
        "hf_hub_download",
    ],
)
def test_a_word_that_begins_like_a_token_is_none(text: str) -> None:
    assert list(shaped(text)) == []


def test_a_private_key_without_its_end_goes_to_the_end_of_the_text() -> None:
    text = "x -----BEGIN " + "PRIVATE KEY-----\nabc\ndef"
    assert list(shaped(text)) == [(2, len(text))]
