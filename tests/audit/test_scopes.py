"""Which scope binds a name, as Python decides it."""

from __future__ import annotations

import ast

import pytest

from samerun.audit.scopes import Scopes


def owner_of_last(text: str, name: str) -> str | None:
    """The kind of scope that the last read of a name means."""
    scopes = Scopes(ast.parse(text))
    reads = [node for node in scopes.nodes if isinstance(node, ast.Name) and node.id == name]
    last = max((node for node in reads if isinstance(node.ctx, ast.Load)), key=lambda node: node.lineno)
    owner = scopes.scope[last].owner(name)
    return None if owner is None else type(owner.node).__name__


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("x = 1\nx", "Module"),
        ("x = 1\ndef f():\n    x", "Module"),
        ("x = 1\ndef f():\n    x\n    x = 2", "FunctionDef"),
        ("x = 1\ndef f(x):\n    x", "FunctionDef"),
        ("x = 1\ndef f(y=1):\n    global x\n    x = 2\n    x", "Module"),
        ("def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n        x", "FunctionDef"),
        ("x = 1\nclass A:\n    x = 2\n    def f(self):\n        x", "Module"),
        ("class A:\n    x = 2\n    y = x", "ClassDef"),
        ("[x for x in [1]]", "ListComp"),
        ("x = []\nz = [1 for x in x]", "Module"),
        ("[(y := x) for x in [1]]\ny\nx", None),
        ("f = lambda x: x", "Lambda"),
        ("x = 1\ndef f(x=x): ...", "Module"),
        ("try: ...\nexcept E as x:\n    x", "Module"),
        ("match v:\n    case {'a': 1, **x}:\n        x", "Module"),
        ("def f():\n    for x in v: ...\n    with v as x:\n        x", "FunctionDef"),
        ("len", None),
    ],
)
def test_a_name_belongs_to_the_scope_that_binds_it(text: str, owner: str | None) -> None:
    name = "len" if text == "len" else "x"
    assert owner_of_last(text, name) == owner


def test_a_walrus_binds_outside_its_comprehension() -> None:
    assert owner_of_last("[(y := x) for x in [1]]\ny", "y") == "Module"


def test_a_deep_tree_needs_no_recursion() -> None:
    tree = ast.parse("x = 1")
    node: ast.expr = ast.Constant(1)
    for _ in range(5000):
        node = ast.UnaryOp(ast.USub(), node)
    assert isinstance(tree.body[0], ast.Assign)
    tree.body[0].value = node
    assert len(Scopes(tree).nodes) > 5000
