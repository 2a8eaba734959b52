"""Raw words: those of the published Philox4x64-10, at any position, whoever drew in between."""

from __future__ import annotations

import threading

import numpy as np

from samerun.streams.philox import THREAD, Desk, make_philox

KEYS = [bytes(16), bytes(range(16)), b"\xff" * 16]
MASK = 2**64 - 1


def published_words(key: bytes, number: int) -> list[int]:
    """Philox4x64-10 as in Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011); counter from 1."""
    words: list[int] = []
    for counter in range(1, number // 4 + 2):
        x = [counter, 0, 0, 0]
        k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
        for _ in range(10):
            first, second = 0xD2E7470EE14C6C93 * x[0], 0xCA5A826395121157 * x[2]
            x = [(second >> 64) ^ x[1] ^ k0, second & MASK, (first >> 64) ^ x[3] ^ k1, first & MASK]
            k0, k1 = (k0 + 0x9E3779B97F4A7C15) & MASK, (k1 + 0xBB67AE8584CAA73B) & MASK
        words += x
    return words[:number]


def test_the_words_are_those_of_the_published_algorithm() -> None:
    for key in KEYS:
        assert Desk().words(key, 0, 11).tolist() == published_words(key, 11)
        assert make_philox(key).random_raw(11).tolist() == published_words(key, 11)


def test_any_position_can_be_read_in_any_order_and_size() -> None:
    desk = Desk()
    whole = {key: published_words(key, 64) for key in KEYS}
    for at, size in [(0, 3), (3, 1), (4, 4), (1, 9), (40, 24), (0, 0), (7, 2), (9, 2), (63, 1)]:
        for key in KEYS:
            assert desk.words(key, at, size).tolist() == whole[key][at : at + size]
            assert desk.word(key, at) == whole[key][at]


def test_two_keys_that_are_equal_but_not_the_same_object_agree() -> None:
    desk, key = Desk(), bytes(range(16))
    first = desk.word(key, 0)
    assert desk.word(bytes(bytearray(key)), 0) == first
    assert desk.word(bytes(bytearray(key)), 1) == published_words(key, 2)[1]


def test_words_are_handed_out_as_an_array_of_their_own() -> None:
    first = THREAD.desk.words(KEYS[0], 0, 4)
    kept = first.copy()
    THREAD.desk.words(KEYS[1], 0, 4)
    assert (first == kept).all()
    assert first.dtype == np.uint64


def test_threads_do_not_disturb_each_other() -> None:
    wanted = {key: published_words(key, 200) for key in KEYS}
    wrong: list[bytes] = []

    def draw(key: bytes) -> None:
        if [THREAD.desk.word(key, at) for at in range(200)] != wanted[key]:
            wrong.append(key)

    threads = [threading.Thread(target=draw, args=(key,)) for key in KEYS * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
