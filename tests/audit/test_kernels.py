"""The table of operations agrees with what is known of them elsewhere, and with what torch itself says."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

from samerun.audit.kernels import FUNCTIONS, METHODS
from samerun.tiers.substitutes import substitute


@pytest.mark.parametrize("operation", sorted({row.operation for row in [*FUNCTIONS.values(), *METHODS.values()]}))
def test_every_operation_has_a_substitute(operation: str) -> None:
    assert substitute(operation)


def documented() -> str:
    """What torch says of operations that raise, read from its source: importing it would cost seconds."""
    spec = importlib.util.find_spec("torch")
    assert spec is not None and spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text("utf-8"))
    named = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    text = next(ast.get_docstring(node) for node in named if node.name == "use_deterministic_algorithms")
    assert text is not None
    return text.partition("operations will throw a\n")[2].partition("In addition")[0]


ELSEWHERE = {"nn.NLLLoss": "one dimension is deterministic, and a call does not show how many there are"}


def test_every_class_that_torch_lists_is_in_the_table() -> None:
    listed = [line.partition("torch.")[2].partition("`")[0] for line in documented().splitlines() if ":class:" in line]
    classes = {name for name in listed if name.startswith("nn.")}
    assert len(classes) > 10
    assert {name for name in classes if f"torch.{name}" not in FUNCTIONS} == set(ELSEWHERE)


def test_every_function_that_torch_lists_is_in_the_table() -> None:
    lines = [line for line in documented().splitlines() if ":func:`torch." in line and "Tensor." not in line]
    functions = {line.partition("`")[2].partition("`")[0] for line in lines}
    assert len(functions) >= 5 and functions <= set(FUNCTIONS)
