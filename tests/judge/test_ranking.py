from __future__ import annotations

from samerun.judge.difference import Difference
from samerun.judge.leaves import LeafComparison
from samerun.judge.metrics import Drift, MetricsComparison
from samerun.judge.ranking import Ranking, label

OPTIM = ("param_groups/0/lr", "state/0/exp_avg", "state/1/exp_avg")
NAMES = {"optim": OPTIM, "model": ("fc.bias", "fc.weight"), "ema": ("model/fc.bias", "updates"), "values": ("",)}


def ranking(*leaves: Difference, **columns: int) -> Ranking:
    metrics = MetricsComparison(columns={name.replace("__", "/"): Drift(step, 1, 2) for name, step in columns.items()})
    seen = tuple(leaves)
    return Ranking(metrics, LeafComparison((0,), 0, seen, (), NAMES), {"optim": ["model.fc.weight", "model.fc.bias"]})


def value(step: int, component: str, leaf: str | None = None, seen_at: int | None = None) -> Difference:
    return Difference(step, "value", component, leaf, "x", "y", seen_at=seen_at)


def test_within_a_step_a_tensor_of_the_model_comes_first_and_the_rest_is_listed() -> None:
    found = [value(3, name) for name in ("values", "ema", "model", "optim")]
    first = ranking().ranked(found)[0]
    assert (first.component, first.also) == ("model", ("optim", "ema", "values"))


def test_of_two_modules_the_one_that_the_loop_tracks_first_comes_first() -> None:
    found = [value(3, "average"), value(3, "net"), value(3, "optim")]
    tracked = Ranking(
        MetricsComparison(), LeafComparison((0,), 0, (), (), {}), {}, {"values": 0, "net": 1, "average": 2}
    )
    assert tracked.ranked(found)[0].component == "net"
    assert ranking().ranked(found)[0].component == "average"


def test_what_was_put_in_comes_before_what_came_out() -> None:
    found = [
        value(3, "model"),
        value(3, "loss"),
        Difference(3, "ambient", "ambient"),
        Difference(3, "draws", "streams", stream="user/a"),
        Difference(3, "batch", "batch"),
    ]
    first = ranking(train__loss=3).ranked(found)[0]
    assert (first.component, first.also) == ("batch", ("stream user/a", "ambient", "train/loss", "model"))


def test_an_earlier_step_wins_and_a_later_one_is_not_among_the_rest() -> None:
    first = ranking().ranked([value(4, "optim"), value(3, "values")])[0]
    assert (first.component, first.also) == ("values", ())


def test_an_evaluation_comes_after_the_state_that_it_looks_at() -> None:
    found = [value(3, "loss"), value(3, "model")]
    assert ranking(evaluate__loss=3).ranked(found)[0].component == "model"
    first = ranking(evaluate__loss=3, train__loss=3).ranked(found)[0]
    assert (first.component, first.leaf) == ("loss", "train/loss")


def test_the_state_before_step_0_comes_before_row_0() -> None:
    found = [Difference(0, "batch", "batch"), value(0, "model", "fc.bias", seen_at=0)]
    first = ranking().ranked(found)[0]
    assert (first.leaf, first.also) == ("fc.bias", ())


def test_a_digest_is_told_by_its_leaf_and_by_where_that_was_seen() -> None:
    right_after = ranking(value(3, "model", "fc.bias", seen_at=4)).ranked([value(3, "model")])[0]
    assert (right_after.leaf, right_after.seen_at) == ("fc.bias", None)
    later = ranking(value(8, "model", "fc.bias", seen_at=9)).ranked([value(3, "model")])[0]
    assert (later.leaf, later.seen_at) == ("fc.bias", 9)


def test_a_leaf_that_only_one_side_has_is_no_other_value_of_it() -> None:
    extra = Difference(3, "structure", "optim", "state/0/extra", None, "y", seen_at=4)
    first = ranking(extra).ranked([value(3, "optim")])[0]
    assert (first.kind, first.leaf, first.a, first.b) == ("structure", "state/0/extra", None, "y")
    assert "is not there on both sides" in str(first)


def test_a_slot_of_an_optimizer_names_its_parameter_where_the_checkpoint_does() -> None:
    slot = ranking().ranked([value(3, "optim", "state/1/exp_avg", seen_at=4)])[0]
    assert slot.parameter == "model.fc.bias" and "optim.state/1/exp_avg of model.fc.bias" in str(slot)
    assert ranking().ranked([value(3, "optim", "state/7/exp_avg", seen_at=4)])[0].parameter is None
    assert ranking().ranked([value(3, "optim", "param_groups/0/lr", seen_at=4)])[0].parameter is None


def test_no_difference_has_no_order() -> None:
    assert ranking().ranked([]) == []


def test_a_label_is_a_word_or_two() -> None:
    assert label(Difference(1, "draws", "streams", stream="user/a")) == "stream user/a"
    assert label(value(1, "loss", "train/loss")) == "train/loss" and label(value(1, "model", "w")) == "model"
