"""Opening streams: by a registered template or under user/, once a step, refused with the nearest name."""

from __future__ import annotations

import itertools
from multiprocessing import Pipe
from typing import Any

import pytest

from samerun.errors import UsageError
from samerun.streams.path import encode_name
from samerun.streams.registry import TEMPLATES
from samerun.streams.source import Streams, StreamSource

VALUES = {"step": 3, "micro": 0, "rank": 1, "epoch": 2, "item": 17, "worker": 1, "name": "val"}


def values_of(text: str) -> dict[str, Any]:
    return {name: VALUES[name] for name in VALUES if f"{{{name}}}" in text}


def key_of(seed: int, *parts: Any) -> bytes:
    from samerun.streams.derive import derive_key

    return derive_key(seed, encode_name(parts))


def test_every_template_opens_and_its_name_is_its_text() -> None:
    source = StreamSource(7)
    for template in TEMPLATES:
        if not template.is_user:
            stream = source.open(template.text, **values_of(template.text))
            assert stream.name == template.text.format(**VALUES)
            assert stream.template == template.text


def test_a_template_is_the_path_of_its_pieces_with_typed_values() -> None:
    source = StreamSource(7)
    stream = source.open("data/item/epoch/{epoch}/item/{item}", epoch=3, item="17")
    assert stream.key == key_of(7, "data", "item", "epoch", 3, "item", "17")
    again = source.open("data/item/epoch/{epoch}/item/{item}", item=17, epoch=3)
    assert again.key == key_of(7, "data", "item", "epoch", 3, "item", 17) != stream.key


def test_a_users_name_lies_under_user_or_its_prefix() -> None:
    source = StreamSource(7)
    assert source.user("a", 3, layer=2).key == key_of(7, "user", "a", 3, "layer", 2)
    assert source.user(5).key == key_of(7, "user", 5)
    assert source.user(epoch=5).key == key_of(7, "user", "epoch", 5)
    assert source.user("a", prefix=("step", 9)).key == key_of(7, "step", 9, "user", "a")
    assert source.user("a", b=1, prefix=("evaluation", "val", 9)).key == key_of(
        7, "evaluation", "val", 9, "user", "a", "b", 1
    )


def test_a_run_and_streams_without_a_run_agree() -> None:
    assert StreamSource(7).user("order", epoch=3).uniform() == Streams(7).stream("order", epoch=3).uniform()


def test_users_names_never_meet_built_in_ones() -> None:
    built_in = {StreamSource(7).open(t.text, **values_of(t.text)).key for t in TEMPLATES if not t.is_user}
    tempting = [tuple(t.text.format(**VALUES).split("/")) for t in TEMPLATES if not t.is_user]
    tempting += [("ambient/setup",), ("data", "order", "epoch", 2)]
    for prefix in [(), ("step", 3), ("epoch", 2), ("evaluation", "val", 3), ("scope", "val", 3)]:
        user = {StreamSource(7).user(*name, prefix=prefix).key for name in tempting}
        assert len(user) == len(set(tempting))
        assert not user & built_in


def test_a_misspelt_template_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError) as caught:
        StreamSource(7).open("data/order/epochs/{epoch}", epoch=1)
    assert caught.value.code == "SR-STREAM-001"
    assert "did you mean 'data/order/epoch/{epoch}'?" in str(caught.value)


@pytest.mark.parametrize("text", ["user/...", "user/a", "step/{step}/user/...", "", "data/order/epoch/3"])
def test_what_is_no_template_of_ours_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        StreamSource(7).open(text)
    assert caught.value.code == "SR-STREAM-001"


@pytest.mark.parametrize("values", [{}, {"epochs": 3}, {"epoch": 3, "item": 4}])
def test_wrong_values_are_refused_by_name(values: dict[str, int]) -> None:
    with pytest.raises(UsageError) as caught:
        StreamSource(7).open("data/order/epoch/{epoch}", **values)
    assert caught.value.code == "SR-STREAM-003"
    assert "wanted: epoch" in str(caught.value)


@pytest.mark.parametrize("prefix", [("steps", 3), ("step",), ("step", 3, 4), ("user",), (3,), ("evaluation", "val")])
def test_an_unknown_prefix_is_refused(prefix: Any) -> None:
    source = StreamSource(7)
    source.user("a", prefix=("step", 1))
    source.user("a", prefix=("evaluation", "val", 1))
    with pytest.raises(UsageError) as caught:
        source.user("a", prefix=prefix)
    assert caught.value.code == "SR-STREAM-001"


def test_a_stream_without_a_name_is_refused() -> None:
    for call in (StreamSource(7).user, Streams(7).stream):
        with pytest.raises(UsageError) as caught:
            call()
        assert caught.value.code == "SR-STREAM-004"


def test_a_second_opening_in_a_step_is_refused_and_allowed_in_the_next() -> None:
    source = StreamSource(7)
    opened = [
        lambda: source.user("dropout"),
        lambda: source.user("dropout", layer=2),
        lambda: source.user("dropout", prefix=("step", 3)),
        lambda: source.open("model/weights/{name}", name="fc.bias"),
    ]
    for _ in range(2):
        source.begin_step()
        firsts = [opening().uniform() for opening in opened]
        for opening in opened:
            with pytest.raises(UsageError) as caught:
                opening()
            assert caught.value.code == "SR-STREAM-002"
            assert "add a part" in str(caught.value)
    assert len(set(firsts)) == len(firsts)


def test_the_same_name_spelled_in_two_ways_is_the_same_opening() -> None:
    source = StreamSource(7)
    source.user("a", layer=2)
    with pytest.raises(UsageError):
        source.user("a", "layer", 2)


def test_pure_templates_may_be_computed_again_and_streams_without_a_run_too() -> None:
    source = StreamSource(7)
    first = source.open("data/order/epoch/{epoch}", epoch=3).permutation(9).tolist()
    assert source.open("data/order/epoch/{epoch}", epoch=3).permutation(9).tolist() == first
    streams = Streams(7)
    assert streams.stream("a").uniform() == streams.stream("a").uniform()


def test_a_worker_makes_the_same_streams_from_what_it_is_sent() -> None:
    ours, theirs = Pipe()
    with ours, theirs:
        theirs.send((StreamSource(7), Streams(7)))
        source, streams = ours.recv()
    assert source.user("a").uniform() == streams.stream("a").uniform() == Streams(7).stream("a").uniform()


@pytest.mark.parametrize("seed", [True, 7.0, "7", -1, 2**128])
def test_a_wrong_seed_opens_nothing(seed: Any) -> None:
    for kind in (StreamSource, Streams):
        with pytest.raises(UsageError, match="SR-SEED"):
            kind(seed)


def test_names_with_separators_empty_parts_and_twins_are_all_different_streams() -> None:
    parts = ["", "a", "a/b", "/", 1, "1", "user", "step"]
    names = [name for size in (1, 2, 3) for name in itertools.product(parts, repeat=size)]
    keys = {Streams(7).stream(*name).key for name in names}
    assert len(keys) == len(names)
