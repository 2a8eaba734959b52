"""Nearly equal texts and images."""

from __future__ import annotations

import io
import sys
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samerun.base.digest import sha256
from samerun.data.entry import Entry
from samerun.data.near import DISTANCE, JACCARD, near_duplicates, near_images, near_texts
from samerun.errors import MissingError
from samerun.streams.source import Streams

pillow = pytest.importorskip("PIL.Image")
pytest.importorskip("imagehash")
pytest.importorskip("datasketch")

WORDS = [f"word{number}" for number in range(200)]


def found(contents: dict[str, bytes | str]) -> tuple[list[tuple[tuple[str, ...], str]], int]:
    entries = [Entry(name, 1, sha256(str(data).encode())) for name, data in sorted(contents.items())]
    near, skipped = near_duplicates(entries, lambda entry: contents[entry.id])
    return [(one.ids, one.kind) for one in near], skipped


def picture(seed: int, *, light: int = 0, size: int = 64) -> bytes:
    pixels = Streams(seed).stream("picture").numpy().integers(0, 200, (8, 8, 3)) + light
    image = pillow.fromarray(pixels.astype(np.uint8)).resize((size, size), pillow.Resampling.BICUBIC)
    sink = io.BytesIO()
    image.save(sink, "PNG")
    return sink.getvalue()


def test_texts_that_share_most_of_their_shingles_are_near_with_the_exact_share() -> None:
    other = [*WORDS[:100], "changed", *WORDS[101:]]
    contents: dict[str, bytes | str] = {
        "a.txt": " ".join(WORDS).encode(),
        "b.txt": " ".join(other).encode(),
        "c.txt": " ".join(reversed(WORDS)).encode(),
        "d.txt": " ".join(WORDS).encode().upper() + b"!",
    }
    pairs, skipped = found(contents)
    assert skipped == 0
    assert pairs == [(("a.txt", "b.txt"), "text"), (("a.txt", "d.txt"), "text"), (("b.txt", "d.txt"), "text")]
    entries = [Entry(name, 1, name) for name in ("a.txt", "b.txt")]
    (pair,) = near_duplicates(entries, lambda entry: contents[entry.id])[0]
    assert pair.similarity == round(195 / 201, 4)


def test_equal_contents_are_not_near_ones() -> None:
    assert found({"a.txt": "x y z", "b.txt": "x y z"}) == ([], 0)


def test_images_that_look_alike_are_near_and_others_are_not() -> None:
    contents: dict[str, bytes | str] = {
        "a.png": picture(1),
        "b.png": picture(1, light=5),
        "c.PNG": picture(1, size=80),
        "d.png": picture(2),
    }
    pairs, skipped = found(contents)
    assert skipped == 0 and {ids for ids, _ in pairs} == {("a.png", "b.png"), ("a.png", "c.PNG"), ("b.png", "c.PNG")}


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.sets(st.integers(0, 63), max_size=8)), max_size=8))
def test_no_pair_of_images_is_missed_and_none_is_too_far(drawn: list[tuple[int, set[int]]]) -> None:
    images: dict[str, int] = {}
    for number, (bits, flips) in enumerate(drawn):
        images[f"{number}a"] = bits
        images[f"{number}b"] = bits ^ sum(1 << place for place in flips)
    wanted = {
        (one, other)
        for one, other in combinations(sorted(images), 2)
        if (images[one] ^ images[other]).bit_count() <= DISTANCE
    }
    assert {(one, other) for one, other, _, _ in near_images(images)} == wanted


def test_a_candidate_with_too_little_in_common_is_measured_and_dropped() -> None:
    datasketch = pytest.importorskip("datasketch")
    texts = {
        str(cut): frozenset(str(number) for number in range(cut, cut + 100)) for cut in (0, 2, 5, 11, 12, 14, 17, 20)
    }
    pairs = {(one, other): similarity for one, other, similarity, _ in near_texts(texts, datasketch)}
    assert pairs[("0", "2")] == round(98 / 102, 4) and min(pairs.values()) >= JACCARD
    assert all(abs(int(one) - int(other)) <= 11 for one, other in pairs) and len(pairs) > 15


def test_what_is_neither_is_counted() -> None:
    contents: dict[str, bytes | str] = {
        "a.bin": b"\xff\xfe\x00",
        "b.png": b"no image",
        "c.txt": b"",
        "d.txt": b"a\0b",
        "e.txt": "some words here",
    }
    assert found(contents) == ([], 4)


def test_one_entry_of_each_content_is_compared_in_each_split() -> None:
    data = picture(1)
    asked: list[str] = []
    copies = [Entry(f"{number:04d}.png", 1, "equal", "x", split="train") for number in range(1500)]
    others = [Entry("other.png", 1, "equal", "x", split="test"), Entry("z.png", 1, "near", "x", split="train")]

    def content(entry: Entry) -> bytes:
        asked.append(entry.id)
        return picture(1, light=5) if entry.id == "z.png" else data

    near, not_looked_at = near_duplicates([*copies, *others], content)
    assert asked == ["0000.png", "other.png", "z.png"] and not_looked_at == 0
    assert [(one.ids, one.is_leak) for one in near] == [(("0000.png", "z.png"), False), (("other.png", "z.png"), True)]


def test_what_cannot_be_had_is_counted_unless_an_equal_one_is_there() -> None:
    entries = [Entry(name, 1, "near" if name == "c" else "equal") for name in "abc"] + [Entry("d", 1, "gone")]
    texts = {"b": " ".join(WORDS), "c": " ".join([*WORDS, "more"])}
    near, not_looked_at = near_duplicates(entries, lambda entry: texts.get(entry.id))
    assert ([one.ids for one in near], not_looked_at) == ([("a", "c")], 1)


def test_what_pillow_thinks_of_a_broken_image_is_not_said() -> None:
    image = pytest.importorskip("PIL.Image").new("L", (9, 9))
    image.save(whole := io.BytesIO(), "TIFF")
    data = bytearray(whole.getvalue())
    place = data.index(b"\x00\x01\x04\x00\x01\x00\x00\x00")  # the width: its count becomes a large one
    data[place + 4 : place + 8] = b"\xff\xff\xff\x00"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found({"a.tif": bytes(data)}) == ([], 1)


def test_the_answer_does_not_depend_on_the_order_or_the_process(tmp_path: Path) -> None:
    texts = {f"{number}.txt": " ".join(WORDS[number : number + 100]) for number in range(8)}
    entries = [Entry(name, 1, name) for name in texts]
    forwards = near_duplicates(entries, lambda entry: texts[entry.id])[0]
    assert forwards == near_duplicates(entries[::-1], lambda entry: texts[entry.id])[0] and forwards


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasketch", None)
    with pytest.raises(MissingError, match="SR-DATA-031") as caught:
        near_duplicates([], lambda entry: "")
    assert "samerun[near]" in caught.value.do
