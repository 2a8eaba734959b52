"""The frozen draws: exactly as specified, without bias, and refused where there is nothing to draw from."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from samerun.errors import UsageError
from samerun.streams import draws
from samerun.streams.philox import Words


class Script:
    """Hands out words that a test wrote down, and remembers how many were asked for each time."""

    def __init__(self, *words: int) -> None:
        self.left = list(words)
        self.asked: list[int] = []

    def __call__(self, number: int) -> Words:
        self.asked.append(number)
        taken, self.left = self.left[:number], self.left[number:]
        assert len(taken) == number, "more words were drawn than the definition says"
        return np.array(taken, np.uint64)


def fair(seed: int) -> Callable[[int], Words]:
    bits = np.random.Philox(key=seed)
    return lambda number: bits.random_raw(number)


TOP = 2**64 - 1


def test_uniform_is_the_top_53_bits() -> None:
    words = [0, 2**11 - 1, 2**11, TOP, 1 << 63]
    expected = [0.0, 0.0, 2.0**-53, 1 - 2.0**-53, 0.5]
    assert draws.uniform(Script(*words), 5).tolist() == expected
    assert [draws.uniform_one(word) for word in words] == expected


def test_shapes_are_filled_in_c_order() -> None:
    flat = draws.uniform(fair(1), 6)
    assert (draws.uniform(fair(1), (2, 3)) == flat.reshape(2, 3)).all()
    assert draws.uniform(fair(1), ()).shape == ()
    assert draws.uniform(fair(1), (0, 3)).shape == (0, 3)
    assert (draws.integers(fair(1), 0, 9, (2, 3)).ravel() == draws.integers(fair(1), 0, 9, 6)).all()


def test_integers_are_words_modulo_the_span() -> None:
    assert draws.integers(Script(0, 1, 9, 10, 11), 0, 10, 5).tolist() == [0, 1, 9, 0, 1]
    assert draws.integers(Script(0, 4), -5, 0, 2).tolist() == [-5, -1]
    assert draws.integers(Script(0, TOP), -(2**63), 2**63, 2).tolist() == [-(2**63), 2**63 - 1]
    assert draws.integers(Script(0, TOP - 1), 0, 2**63, 2).tolist() == [0, 2**63 - 2]
    assert draws.integers(Script(12345), 7, 8, 1).tolist() == [7]


def test_words_that_would_be_biased_are_skipped() -> None:
    # 2^64 mod 10 is 6: the six highest words have no place.
    script = Script(TOP, 3, TOP - 5, TOP - 6, TOP, 8, 4)
    assert draws.integers(script, 0, 10, 4).tolist() == [3, 9, 8, 4]
    assert script.asked == [4, 2, 1]
    assert (TOP - 6) % 10 == 9


def test_fewer_numbers_are_the_first_of_more() -> None:
    span = 2**63 + 1  # nearly half of the words are skipped
    for number in range(30):
        assert draws.integers(fair(5), -5, span - 5, 30)[:number].tolist() == (
            draws.integers(fair(5), -5, span - 5, number).tolist()
        )
        assert draws.choice(fair(5), 2**63, 30)[:number].tolist() == draws.choice(fair(5), 2**63, number).tolist()


@pytest.mark.parametrize("span", [1, 2, 3, 7, 10, 2**31 - 1, 2**32, 2**63 + 1, 2**64 - 1, 2**64])
def test_the_accepted_words_are_a_whole_number_of_spans(span: int) -> None:
    low = -(2**63)
    limit = 2**64 - 2**64 % span
    assert draws.integers(Script(limit - 1), low, low + span, 1).tolist() == [low + span - 1]
    if limit <= TOP:
        assert draws.integers(Script(limit, 0), low, low + span, 1).tolist() == [low]


def test_one_integer_is_the_first_of_many() -> None:
    for low, high in [(0, 10), (-5, 5), (-(2**63), 2**63), (0, 2**63), (3, 2**62 + 7)]:
        take = fair(3)
        one = draws.integer_one(lambda: int(fair(3)(2)[1]), low, high, int(fair(3)(1)[0]))
        assert one == draws.integers(take, low, high, 1)[0]
    assert draws.integer_one(iter([TOP, 4]).__next__, 0, 10, TOP - 5) == 4


def test_a_permutation_is_the_order_that_sorts_the_words() -> None:
    assert draws.permutation(Script(30, 10, 20), 3).tolist() == [1, 2, 0]
    assert draws.permutation(Script(), 0).tolist() == []
    assert draws.permutation(Script(5), 1).tolist() == [0]
    assert draws.permutation(fair(1), 1000).dtype == np.int64


def test_equal_words_in_a_permutation_are_drawn_again_all_of_them() -> None:
    script = Script(5, 9, 5, 1, 2, 0)
    assert draws.permutation(script, 3).tolist() == [2, 0, 1]
    assert script.asked == [3, 3]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_each_order_comes_from_equally_many_words(n: int) -> None:
    # All n-tuples over n words: those without a tie are the n! orders, each exactly once.
    orders = Counter(tuple(draws.permutation(Script(*words), n).tolist()) for words in itertools.permutations(range(n)))
    assert len(orders) == math.factorial(n)
    assert set(orders.values()) == {1}


@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 2), (4, 4), (5, 3), (6, 1), (4, 0)])
def test_each_choice_comes_from_equally_many_words(n: int, k: int) -> None:
    spans = [range(n - at) for at in range(k)]
    picked = Counter(tuple(draws.choice(Script(*words), n, k).tolist()) for words in itertools.product(*spans))
    assert set(picked) == set(itertools.permutations(range(n), k))
    assert set(picked.values()) == {1}


def test_biased_words_of_a_choice_are_skipped_each_against_its_own_span() -> None:
    # 2^64 mod 3 is 1, mod 2 is 0: the highest word is refused for the first pick only.
    script = Script(TOP, 2, TOP)
    assert draws.choice(script, 3, 2).tolist() == [2, 0]
    assert script.asked == [2, 1]


def test_a_choice_out_of_very_many_is_quick_and_different() -> None:
    picked = draws.choice(fair(2), 2**63, 1000)
    assert len(set(picked.tolist())) == 1000
    assert picked.min() >= 0
    assert sorted(draws.choice(fair(2), 50, 50).tolist()) == list(range(50))


def chi_squared(counts: list[int], expected: float) -> float:
    return sum((count - expected) ** 2 / expected for count in counts)


def test_integers_and_uniforms_are_spread_evenly() -> None:
    # 99.99 % quantile of chi squared with 9 degrees of freedom: 33.7; the words are fixed, so this never flickers.
    numbers = draws.integers(fair(11), 0, 10, 20_000)
    assert chi_squared(np.bincount(numbers, minlength=10).tolist(), 2000) < 33.7
    cells = (draws.uniform(fair(12), 20_000) * 10).astype(int)
    assert chi_squared(np.bincount(cells, minlength=10).tolist(), 2000) < 33.7


def test_orders_of_four_are_spread_evenly() -> None:
    # 99.99 % quantile with 23 degrees of freedom: 56.0
    take = fair(13)
    orders = Counter(tuple(draws.permutation(take, 4).tolist()) for _ in range(4800))
    assert chi_squared(list(orders.values()), 200) < 56.0
    assert len(orders) == 24
    assert Fraction(sum(orders.values()), 24) == 200


@pytest.mark.parametrize(
    "call",
    [
        lambda take: draws.integers(take, 3, 3, 1),
        lambda take: draws.integers(take, 3, 2, 1),
        lambda take: draws.integers(take, 0, 2**63 + 1, 1),
        lambda take: draws.integers(take, -(2**63) - 1, 0, 1),
        lambda take: draws.integer_one(lambda: 0, 5, 5, 0),
        lambda take: draws.uniform(take, -1),
        lambda take: draws.uniform(take, (2, -1)),
        lambda take: draws.permutation(take, -1),
        lambda take: draws.choice(take, 3, 4),
        lambda take: draws.choice(take, 3, -1),
    ],
)
def test_a_draw_from_nothing_is_refused(call: Callable[[Script], object]) -> None:
    with pytest.raises(UsageError) as caught:
        call(Script())
    assert caught.value.code == "SR-STREAM-005"
