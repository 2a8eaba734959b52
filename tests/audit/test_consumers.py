"""What a call does with an order."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from samerun.audit.consumers import CARRIERS, LAZY, NEUTRAL, Value, is_path, is_private, is_rebound_sorted, sorts
from samerun.audit.names import Names

Read = Callable[[str], Names]


def test_no_function_both_carries_an_order_and_ignores_it() -> None:
    assert not NEUTRAL & CARRIERS and LAZY <= CARRIERS


def test_a_value_gets_shallower_with_each_step() -> None:
    node = ast.Constant(1)
    value = Value(node, False)
    assert value.into(node, True).is_sequence and value.into(node).depth == value.depth - 1


@pytest.mark.parametrize(
    ("text", "is_sorted"), [("x.sort()", True), ("x = sorted(x)", True), ("y = sorted(x)", False), ("x.sort", False)]
)
def test_a_list_is_sorted_in_place_or_into_itself(names: Read, text: str, is_sorted: bool) -> None:
    read = names(text)
    use = next(
        n for n in ast.walk(read.tree) if isinstance(n, ast.Name) and n.id == "x" and isinstance(n.ctx, ast.Load)
    )
    assert sorts(read, use) is is_sorted


def test_a_variable_may_be_bound_again_sorted(names: Read) -> None:
    read = names("x = f()\nx = sorted(g())\nuse(x)")
    use = next(n for n in ast.walk(read.tree) if isinstance(n, ast.Name) and n.id == "x")
    assert is_rebound_sorted(read, use)


def test_a_function_with_an_underscore_is_private(names: Read) -> None:
    read = names("def _f():\n    return 1\ndef f():\n    return 2")
    assert [is_private(read, node) for node in ast.walk(read.tree) if isinstance(node, ast.Return)] == [True, False]


def test_a_path_is_joined_otherwise_than_a_text() -> None:
    assert is_path("os.path.join") and not is_path("str.join") and not is_path(None)
