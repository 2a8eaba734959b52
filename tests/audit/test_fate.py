"""Where the order of a value goes."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from samerun.audit.fate import Fate
from samerun.audit.names import Names

Read = Callable[[str], Names]


def sink_of_start(names: Names) -> str | None:
    """How the order of `START` is kept, in words."""
    start = next(node for node in ast.walk(names.tree) if isinstance(node, ast.Name) and node.id == "START")
    sink = Fate(names).sink(start)
    return None if sink is None else sink.how


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("for x in START:\n    use(x)", "a loop goes through it"),
        ("','.join(START)", "it is joined to one text"),
        ("x = next(iter(START))", "its first item is taken"),
        ("a, b = START", "it is unpacked"),
        ("def f():\n    return list(START)", "it is returned"),
        ("def f():\n    return 1, list(START)", "it is returned"),
        ("def f():\n    yield [x for x in START]", "it is yielded"),
        ("def f():\n    yield from START", "it is yielded"),
        ("list(START)[0]", "an item is taken by its place"),
        ("x = [*START]\nx[0]", "an item is taken by its place"),
        ("x = (y := list(START))\ny[0]", "an item is taken by its place"),
        ("out.extend(START)", "it is added to a list"),
        ("out = []\nout += list(START)\nout[0]", "it is added to a list"),
        ("use(*START)", "it is given as arguments"),
        ("self.x = list(START)", "it is kept in an attribute"),
        ("{x: i for i, x in enumerate(START)}", "its items are numbered"),
        ("import random\nrandom.choice(list(START))", "choice() draws from it by place"),
    ],
)
def test_an_order_that_is_kept_is_named(names: Read, text: str, how: str) -> None:
    assert sink_of_start(names(text)) == how


@pytest.mark.parametrize(
    "text",
    [
        "sorted(START)",
        "sorted(list(START))",
        "len(list(START))",
        "x in START",
        "{x for x in START}",
        "{x: 1 for x in START}",
        "set(x for x in START)",
        "if START: ...",
        "x = START",
        "return_it = START or other",
        "use(START)",
        "(x,) = START",
        "x = list(START)\nx.sort()",
        "x = list(START)\nprint(len(x))",
        "def _f():\n    return list(START)\nsorted(_f())",
        "import os\nos.path.join(START)",
        "raise ValueError(', '.join(START))",
        "log.info('%s', list(START))",
        "out.update(START)",
        "class A:\n    def f(self):\n        self.x = list(START)\n        self.x.sort()",
        "assert next(iter(START)) is None",
    ],
)
def test_an_order_that_nobody_looks_at_is_no_matter(names: Read, text: str) -> None:
    assert sink_of_start(names(text)) is None


def test_functions_that_call_each_other_end(names: Read) -> None:
    assert sink_of_start(names("def _f():\n    return list(START) + _g()\ndef _g():\n    return _f()")) is None
