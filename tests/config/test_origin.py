"""Origins, leaves, and the rows of `explain`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from samerun.config.origin import Origin, explain, flatten
from samerun.config.resolved import Config
from samerun.errors import ExitCode, NoMatchError


def test_every_value_is_explained_by_its_layer_and_line(resolved: Callable[..., Config]) -> None:
    rows = {row.path: row for row in explain(resolved("rate: 2\ncheckpoint: {keep: 5}\n", "seed=7"))}
    assert rows["rate"].origin == Origin("recipe", "recipe.yaml:4")
    assert rows["seed"].origin == Origin("set", "-s seed=7")
    assert rows["count"].origin == Origin("default", "PracticeTable")
    assert rows["model.hidden"].origin == Origin("default", "MlpTable")
    assert rows["checkpoint.keep"].origin == Origin("recipe", "recipe.yaml:5")
    assert rows["checkpoint.every"].origin == Origin("default", "CheckpointTable")
    assert (rows["rate"].value, rows["model.hidden"].value) == (2.0, [64])
    assert rows["steps"].standing.reason.startswith("how far to go")


def test_every_leaf_has_exactly_one_row(resolved: Callable[..., Config]) -> None:
    config = resolved("groups: [{match: a}, {match: b}]\nweights: {x: 1, 'a.b': 2}\n")
    paths = [row.path for row in explain(config)]
    assert paths == list(config.origins) == list(config.standings)
    assert {"groups.0.match", "groups.1.note", "weights", "model.kind"} <= set(paths)


def test_a_key_selects_a_value_or_a_table(resolved: Callable[..., Config]) -> None:
    config = resolved()
    assert [row.path for row in explain(config, "model")] == [
        "model.kind",
        "model.hidden",
        "model.dropout",
        "model.note",
    ]
    assert [row.path for row in explain(config, "model.hidden")] == ["model.hidden"]


@pytest.mark.parametrize(
    ("key", "close"), [("model.hiden", "model.hidden"), ("learning_rate", "optimizer.learning_rate")]
)
def test_an_unknown_key_gets_the_nearest_one(resolved: Callable[..., Config], key: str, close: str) -> None:
    with pytest.raises(NoMatchError, match=f"did you mean '{close}'") as caught:
        explain(resolved(), key)
    assert (caught.value.code, caught.value.exit_code) == ("SR-CONFIG-015", ExitCode.NO_MATCH)


def test_a_tree_flattens_to_its_leaves() -> None:
    tree = {"a": {"b": 1, "c": {}}, "d": [1, 2], "e": [{"f": 1}], "g": None}
    assert flatten(tree) == [("a.b", 1), ("a.c", {}), ("d", [1, 2]), ("e.0.f", 1), ("g", None)]
