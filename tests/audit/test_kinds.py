"""What a value surely is."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from samerun.audit.kinds import Kinds
from samerun.audit.names import Names

Read = Callable[[str], Names]


def last_value(names: Names) -> ast.AST:
    calls = [node for node in ast.walk(names.tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return next(call.args[0] for call in calls if ast.unparse(call.func) == "use")


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("use({'a'})", "text"),
        ("use({1, 2})", "integer"),
        ("use({len(x) for x in y})", "integer"),
        ("use(set(y))", "unknown"),
        ("use(set(range(3)))", "integer"),
        ("use(set(['a', 'b']))", "text"),
        ("use({'a'} | {'b'})", "text"),
        ("use({'a'} | {1})", "unknown"),
        ("use({'a'} - y)", "text"),
        ("use(y - {'a'})", None),
        ("use(y.keys() & z)", "unknown"),
        ("use({'a'}.union(y))", "unknown"),
        ("use({'a'} if y else {'b'})", "text"),
        ("use({'a'} if y else ['b'])", None),
        ("use({x: 1 for x in {'a'}})", "text"),
        ("use(dict.fromkeys(['a']))", None),
        ("s = {'a'}\nuse(s)", "text"),
        ("s = {'a'}\ns = ['a']\nuse(s)", None),
        ("s = {'a'}\ns |= {'b'}\nuse(s)", "text"),
        ("def f(s: set[int]):\n    use(s)", "integer"),
        ("def f(s: frozenset[str] | None):\n    use(s)", "text"),
        ("def f(s: list[str]):\n    use(s)", None),
        ("from collections.abc import Set\ndef f(s: Set):\n    use(s)", "unknown"),
        ("def set(x): ...\nuse(set(y))", None),
        ("class A:\n    def __init__(self):\n        self.s = {'a'}\n    def f(self):\n        use(self.s)", "text"),
        ("class A:\n    def f(self, s):\n        self.s = {'a'}\n        self.s = s\n        use(self.s)", None),
        ("s = s2 = {'a'}\nuse(s)", "text"),
        ("a = b\nb = a\nuse(a)", None),
    ],
)
def test_a_set_is_known_with_what_it_holds(names: Read, text: str, elements: str | None) -> None:
    read = names(text)
    assert Kinds(read).elements(last_value(read)) == elements


@pytest.mark.parametrize(
    ("text", "is_float"),
    [
        ("use(0.5)", True),
        ("use(-0.5)", True),
        ("use(5)", False),
        ("use(x * 0.5)", True),
        ("use(x // 0.5)", False),
        ("use(float(x))", True),
        ("def f(x: float):\n    use(x)", True),
        ("def f(x: int):\n    use(x)", False),
        ("x = 0.1\nx = 1\nuse(x)", False),
        ("for x in (0.1, 0.2):\n    use(x)", True),
        ("use(x)", False),
    ],
)
def test_a_float_is_known(names: Read, text: str, is_float: bool) -> None:
    read = names(text)
    assert Kinds(read).is_float(last_value(read)) is is_float


def test_the_clock_is_seen_through_a_variable(names: Read) -> None:
    read = names("import time\nnow = time.time()\nlate = now - 3\nuse(late > 5)")
    kinds = Kinds(read)
    assert kinds.holds(last_value(read), kinds.reads_clock) is not None
    other = names("now = 3\nuse(now > 5)")
    assert Kinds(other).holds(last_value(other), Kinds(other).reads_clock) is None
