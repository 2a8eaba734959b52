"""A seed that was made from what the system or the clock gave is known when it is used."""

from __future__ import annotations

import numpy as np
import pytest

from samerun.base import clock
from samerun.streams.entropy import KEPT, Entropy

BYTES = bytes(range(17, 33))


@pytest.fixture
def entropy() -> Entropy:
    made = Entropy()
    made.note(BYTES, "os.urandom")
    return made


@pytest.mark.parametrize(
    "seed",
    [
        int.from_bytes(BYTES, "big"),
        int.from_bytes(BYTES, "little"),
        int.from_bytes(BYTES, "big") & 0xFFFFFFFF,
        int.from_bytes(BYTES, "big") % (2**32 - 1),
        int.from_bytes(BYTES, "big") >> 3,
        int.from_bytes(BYTES[:4], "big"),
        BYTES,
        BYTES.hex(),
        [5, int.from_bytes(BYTES, "little")],
        np.frombuffer(BYTES, np.uint32),
        np.frombuffer(BYTES, np.uint8).reshape(4, 4),
        np.array(int.from_bytes(BYTES[:4], "little")),
    ],
)
def test_the_usual_cuts_of_what_was_given_are_known(seed: object, entropy: Entropy) -> None:
    assert entropy.source_of(seed) == "os.urandom"


@pytest.mark.parametrize(
    "seed", [0, 7, 1234, 65535, 123456789, 2**40 + 5, "name", b"x", 3.5, (1, 2), np.arange(9), None, object()]
)
def test_seeds_that_people_write_are_nothing(seed: object, entropy: Entropy) -> None:
    assert entropy.source_of(seed) is None


@pytest.mark.parametrize("unit", [1, 1_000, 1_000_000, 1_000_000_000])
def test_the_time_of_now_is_known_in_every_unit(unit: int) -> None:
    assert Entropy().source_of(int(clock.wall() * unit)) == "the clock"
    assert Entropy().source_of(int((clock.wall() - 3600) * unit)) is None


def test_seconds_with_a_fraction_and_milliseconds_cut_to_32_bits_are_known() -> None:
    assert Entropy().source_of(clock.wall()) == "the clock"
    assert Entropy().source_of(int(clock.wall() * 1000) % 2**32) == "the clock"


def test_one_byte_is_too_little_to_know(entropy: Entropy) -> None:
    entropy.note(b"\x07", "os.urandom")
    assert entropy.source_of(7) is None


def test_what_is_long_past_is_forgotten(entropy: Entropy) -> None:
    for number in range(KEPT):
        entropy.note(number.to_bytes(16, "big"), "uuid.uuid4")
    assert entropy.source_of(int.from_bytes(BYTES, "big")) is None
