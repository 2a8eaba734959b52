from __future__ import annotations

import pytest

from samerun.judge.cause import SET_UP, UNEXPLAINED, Circumstances, Suspect, cause, first_effect
from samerun.judge.difference import Difference

RATE = Suspect("config: optimizer.learning_rate 0.001 -> 0.002, set by -s", "learning_rate")
LINE = Suspect("source: train.py line 31 changed")
KNOWN = Circumstances(60)
LOSS = Difference(12, "value", "loss", "train/loss", 1.0, 2.0)
DRAW = Difference(41, "draws", "streams", None, 1, 2, stream="user/augment")


def leaf(step: int, seen_at: int | None = None, name: str = "0.weight", component: str = "model") -> Difference:
    return Difference(step, "value", component, name, "x", "y", seen_at=seen_at)


def test_one_suspect_is_named_with_its_first_effect() -> None:
    text = cause([RATE], [leaf(0)], KNOWN)
    assert text == (
        "config: optimizer.learning_rate 0.001 -> 0.002, set by -s; first effect at step 0 in model.0.weight"
    )
    assert cause([LINE], [LOSS], KNOWN) == "source: train.py line 31 changed; first effect at step 12 in the loss"


def test_a_setting_that_only_stands_where_settings_stand_has_had_no_effect_yet() -> None:
    rate = leaf(0, 0, "param_groups/0/lr", "optim")
    held = leaf(0, 0, "base_lrs", "sched")
    logged = Difference(0, "value", "loss", "train/learning_rate", 0.1, 0.2)
    assert first_effect([RATE], [rate, held, logged, leaf(1)]) == leaf(1)
    assert first_effect([LINE], [rate, logged, leaf(1)]) == rate


def test_of_a_changed_draw_it_is_said_what_came_of_it() -> None:
    text = cause([LINE], [DRAW, leaf(42)], KNOWN)
    assert (
        text == f"{LINE.text}; first effect at step 41 in the draws of user/augment, then at step 42 in model.0.weight"
    )


def test_of_several_suspects_it_is_said_that_it_is_one_of_them() -> None:
    text = cause([RATE, LINE], [LOSS], KNOWN)
    assert text == f"one of: {RATE.text}; {LINE.text}; first effect at step 12 in the loss"
    many = [Suspect(f"config: a{n} 1 -> 2") for n in range(9)]
    assert "a3 1 -> 2; and 5 more; first effect" in str(cause(many, [LOSS], KNOWN))


def test_what_came_after_the_first_effect_is_no_suspect() -> None:
    later = Suspect("drift: b went on under other facts at step 20: platform.torch", from_step=20)
    assert str(cause([later], [LOSS], KNOWN)).startswith(UNEXPLAINED)
    assert str(cause([later], [leaf(20)], KNOWN)).startswith("drift: b went on")


def test_a_change_without_an_effect_says_so() -> None:
    assert cause([LINE], [], KNOWN) == "source: train.py line 31 changed; no effect in 60 steps"
    longer = Difference(60, "structure", None, None, None, "a row")
    assert cause([LINE], [longer], KNOWN) == "source: train.py line 31 changed; no effect in 60 steps"


def test_equal_runs_have_no_cause_and_neither_have_runs_that_were_not_compared() -> None:
    assert cause([], [], KNOWN) is None
    assert cause([LINE], [LOSS], Circumstances(0)) is None
    assert cause([], [Difference(60, "structure", None, None, None, "a row")], KNOWN) is None


def test_other_bits_without_a_suspect_are_called_unexplained() -> None:
    assert cause([], [LOSS], KNOWN) == UNEXPLAINED
    resumed = Circumstances(60, resumed=[("b", 12), ("a", 3)])
    assert cause([], [LOSS], resumed) == f"{UNEXPLAINED}; it begins where b was resumed"
    beside = Circumstances(60, beside=["packages outside of the identity differ: pandas"])
    assert cause([], [LOSS], beside) == f"{UNEXPLAINED} (packages outside of the identity differ: pandas)"


@pytest.mark.parametrize(
    ("ranked", "text"),
    [
        (
            [DRAW, leaf(41)],
            "streams: user/augment drew 1 more number in b at step 41; first effect at step 41 in model.0.weight",
        ),
        ([DRAW], "streams: user/augment drew 1 more number in b at step 41; no effect on any number or state"),
        (
            [Difference(5, "ambient", "ambient"), LOSS],
            "ambient: something drew from a global generator, outside any stream, at step 5; first effect at step 12"
            " in the loss",
        ),
        (
            [Difference(5, "batch", "batch"), LOSS],
            "batch: other items at step 5, from the same data with the same settings; first effect at step 12"
            " in the loss",
        ),
    ],
)
def test_draws_and_batches_are_facts_of_the_run_itself(ranked: list[Difference], text: str) -> None:
    assert cause([], ranked, KNOWN) == text


def test_states_that_differ_before_the_first_step_were_set_up_otherwise() -> None:
    assert cause([], [leaf(0, 0)], KNOWN) == f"{SET_UP}; first effect before step 0 in model.0.weight"
    assert str(cause([], [leaf(0, 5)], KNOWN)).startswith(UNEXPLAINED)
    assert str(cause([LINE], [leaf(0, 0)], KNOWN)).startswith(LINE.text)


def test_the_global_generator_that_was_drawn_from_is_named() -> None:
    drawn = Difference(5, "ambient", "ambient", None, "1.2.3.-", "1.9.3.-")
    assert str(cause([], [drawn, LOSS], KNOWN)).startswith("ambient: something drew from NumPy's global generator,")
    assert "at step 5 in NumPy's global generator" in str(cause([LINE], [drawn], KNOWN))


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        (leaf(0, 0), "before step 0 in model.0.weight"),
        (leaf(3, 60), "at step 3 in model"),
        (DRAW, "at step 41 in the draws of user/augment, then on no number or state"),
        (Difference(3, "structure", "metrics", "health/norm", None, 1.0), "in health/norm, which only one side has"),
        (
            Difference(3, "value", "optim", "state/0/exp_avg", "x", "y", parameter="model.fc.bias"),
            "at step 3 in optim.state.0.exp_avg of model.fc.bias",
        ),
    ],
)
def test_the_effect_names_no_more_than_is_known(effect: Difference, words: str) -> None:
    assert str(cause([LINE], [effect], KNOWN)).endswith(words)
