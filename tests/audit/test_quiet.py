"""Blocks that do the same in any order of their turns."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from samerun.audit.fate import Fate
from samerun.audit.names import Names

Read = Callable[[str], Names]


def is_quiet(names: Names) -> bool:
    loop = next(node for node in ast.walk(names.tree) if isinstance(node, ast.For))
    return Fate(names).quiet.block(loop.body, loop)


@pytest.mark.parametrize(
    "body",
    [
        "out.add(x)",
        "del table[x]",
        "table[x] = f(x)",
        "table[x] += f(x)",
        "x.unlink()",
        "total |= x",
        "count += 1",
        "if x:\n        found = True\n        break",
        "y = f(x)\n    out.add(y)",
        "best = max(best, x)",
        "raise ValueError(x)",
        "try:\n        out.add(x)\n    except E:\n        pass",
        "print(x)",
        "x.done = True",
        "assert x",
        "graph.erase_node(x)",
        "_deregister(x)",
        "x.set_timeout(3)",
        "x.state.clear()",
        "assert_equal(x, 1)",
        "use(1)",
        "for y in x:\n        out.add(y)",
        "with a:\n        out.add(x)",
    ],
)
def test_a_body_without_order_is_quiet(names: Read, body: str) -> None:
    assert is_quiet(names(f"count = 0\nfor x in xs:\n    {body}"))


@pytest.mark.parametrize(
    "body",
    [
        "out.append(x)",
        "use(x)",
        "last = x",
        "total += x",
        "table[x] = len(table)",
        "table[x] = next(numbers)",
        "other.last = x",
        "x.reset_parameters()",
        "other.set_last(x)",
        "while x:\n        use(x)",
        "x += 1\n    y = x",
    ],
)
def test_a_body_that_depends_on_its_order_is_not(names: Read, body: str) -> None:
    assert not is_quiet(names(f"for x in xs:\n    {body}\nprint(out[0], last, total, y)"))


def test_a_list_that_is_sorted_afterwards_is_quiet(names: Read) -> None:
    assert is_quiet(names("out = []\nfor x in xs:\n    out.append(x)\nout.sort()"))


@pytest.mark.parametrize(
    ("text", "is_message"),
    [
        ("raise E(MARK)", True),
        ("log.info(MARK)", True),
        ("print(MARK)", True),
        ("use(MARK)", False),
        ("x = MARK", False),
    ],
)
def test_what_a_person_reads_is_a_message(names: Read, text: str, is_message: bool) -> None:
    read = names(text)
    mark = next(node for node in ast.walk(read.tree) if isinstance(node, ast.Name) and node.id == "MARK")
    assert Fate(read).quiet.is_message(mark) is is_message
