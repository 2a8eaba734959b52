"""`-s` values over a recipe, on plain trees."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from samerun.config.document import Document
from samerun.config.merge import Merged, merge, plain_copy
from samerun.config.origin import Origin
from samerun.config.setting import parse_setting

RECIPE: dict[str, Any] = {
    "seed": 7,
    "model": {"kind": "mlp", "hidden": [64], "dropout": 0.1},
    "init": None,
    "groups": [{"a": 1}],
}
LINES = {("seed",): 1, ("model",): 2, ("model", "hidden"): 3, ("model", "dropout"): 4}


def merged(*sets: str, default: str | None = None, recipe: dict[str, Any] = RECIPE) -> Merged:
    document = Document(recipe, LINES, "r.yaml", "r.yaml", b"")
    return merge(document, [parse_setting(text) for text in sets], lambda data, path: default)


def test_a_value_is_set_where_it_stands_and_the_recipe_is_not_touched() -> None:
    result = merged("model.hidden=[1]", "seed=8", "new.table.key=x")
    assert result.data["model"] == {"kind": "mlp", "hidden": [1], "dropout": 0.1}
    assert (result.data["seed"], result.data["new"]) == (8, {"table": {"key": "x"}})
    assert RECIPE["model"]["hidden"] == [64]
    assert result.notes == []


def test_each_value_knows_its_layer() -> None:
    result = merged("model.hidden=[1]", "init.from=x", "groups.0.a=2")
    assert result.origin(("model", "hidden")) == Origin("set", "-s model.hidden=[1]")
    assert result.origin(("model", "dropout")) == Origin("recipe", "r.yaml:4")
    assert result.origin(("init", "from")) == Origin("set", "-s init.from=x")
    assert result.origin(("groups",)) == Origin("set", "-s groups.0.a=2")
    assert result.origin(("seed",)) == Origin("recipe", "r.yaml:1")


def test_another_kind_resets_the_table_and_says_what_is_no_longer_used() -> None:
    result = merged("model.kind=cnn")
    assert result.data["model"] == {"kind": "cnn"}
    (note,) = result.notes
    assert "defaults of cnn instead of mlp" in note
    assert "hidden (r.yaml:3), dropout (r.yaml:4)" in note


def test_what_is_missing_after_a_reset_is_missing_because_of_it() -> None:
    assert merged("model.kind=cnn").where(("model",)) == "-s model.kind=cnn"


def test_the_same_kind_resets_nothing() -> None:
    result = merged("model.kind=mlp")
    assert (result.data["model"], result.notes) == (RECIPE["model"], [])


def test_a_kind_other_than_the_default_resets_a_table_that_names_none() -> None:
    recipe = {"optimizer": {"rate": 1}}
    assert merged("optimizer.kind=sgd", default="adamw", recipe=recipe).data == {"optimizer": {"kind": "sgd"}}
    assert merged("optimizer.kind=sgd", default="sgd", recipe=recipe).data == {"optimizer": {"rate": 1, "kind": "sgd"}}
    assert "instead of adamw" in merged("optimizer.kind=sgd", default="adamw", recipe={}).notes[0]


def test_the_order_of_settings_makes_no_difference() -> None:
    sets = ("model.kind=cnn", "model.channels=[8]", "model={kind: mlp, hidden: [1]}", "seed=9")
    results = [merged(*order) for order in permutations(sets)]
    assert all(result.data == results[0].data for result in results)
    assert results[0].data["model"] == {"kind": "cnn", "channels": [8]}


def test_a_whole_table_replaces_and_says_so() -> None:
    result = merged("model={kind: cnn}")
    assert result.data["model"] == {"kind": "cnn"}
    assert "replaces the table 'model'" in result.notes[0]


def test_the_later_of_two_equal_paths_wins_and_says_so() -> None:
    result = merged("seed=8", "seed=9")
    assert result.data["seed"] == 9
    assert result.notes == ["-s seed=9 comes after -s seed=8 and replaces it"]


def test_a_path_through_a_value_is_a_problem() -> None:
    result = merged("seed.x=1", "model.hidden.3=1", "model.hidden.x=1", "model.hidden.0=5")
    assert [problem.where for problem in result.problems] == [
        "-s seed.x=1",
        "-s model.hidden.3=1",
        "-s model.hidden.x=1",
    ]
    assert result.data["model"]["hidden"] == [5]


def test_a_copy_shares_nothing() -> None:
    shared = [1]
    copy = plain_copy({"a": shared, "b": shared})
    copy["a"].append(2)
    assert (copy["b"], shared) == ([1], [1])
