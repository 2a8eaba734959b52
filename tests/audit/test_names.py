"""What a name means through imports, aliases and shadowing."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from samerun.audit.names import Names, argument, constant, has_unknown_arguments

Read = Callable[[str], Names]


@pytest.mark.parametrize(
    ("text", "dotted"),
    [
        ("import numpy as np\nnp.random.seed()", "numpy.random.seed"),
        ("import numpy.random\nnumpy.random.seed()", "numpy.random.seed"),
        ("import numpy.random as npr\nnpr.seed()", "numpy.random.seed"),
        ("from numpy import random as r\nr.seed()", "numpy.random.seed"),
        ("from numpy.random import seed as s\ns()", "numpy.random.seed"),
        ("import torch\ntorch.random.manual_seed()", "torch.manual_seed"),
        ("import numpy as np\nr = np.random\nr.seed()", "numpy.random.seed"),
        ("def f():\n    import random\n    random.seed()", "random.seed"),
        ("try:\n    import numpy as np\nexcept ImportError:\n    np = None\nnp.zeros()", "numpy.zeros"),
        ("from .random import seed\nseed()", ".random.seed"),
        ("from . import random\nrandom.seed()", "..random.seed"),
        ("hash()", "builtins.hash"),
        ("def hash(): ...\nhash()", None),
        ("import random\nrandom = make\nrandom.seed()", None),
        ("import random\ndef f(random):\n    random.seed()", None),
        ("unknown.seed()", None),
        ("a = b\nb = a\na()", None),
        ("(lambda: 1)()", None),
    ],
)
def test_a_call_is_resolved(names: Read, text: str, dotted: str | None) -> None:
    assert names(text).calls[-1][1] == dotted


def test_a_header_lies_outside_its_function(names: Read) -> None:
    read = names("@a()\ndef f(x=b()) -> c():\n    return d()")
    inside = {ast.unparse(call): read.function(call) is not None for call, _ in read.calls}
    assert inside == {"a()": False, "b()": False, "c()": False, "d()": True}


def test_the_calls_of_a_method_are_those_of_its_class(names: Read) -> None:
    calling = "    def g(self):\n        self.f()\n"
    read = names(f"class A:\n    def f(self): ...\n{calling}class B:\n{calling}")
    (method,) = [node for node in ast.walk(read.tree) if isinstance(node, ast.FunctionDef) and node.name == "f"]
    assert [call.lineno for call in read.calls_of(method)] == [4]


def call_of(text: str) -> ast.Call:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    return node


def test_an_argument_is_found_by_place_or_name() -> None:
    assert constant(argument(call_of("f(1, b=2)"), 0, "a")) == 1
    assert constant(argument(call_of("f(1, b=2)"), 1, "b")) == 2
    assert argument(call_of("f(*x, 2)"), 1, "b") is None
    assert argument(call_of("f()"), 0, "a") is None


def test_stars_hide_arguments() -> None:
    assert has_unknown_arguments(call_of("f(*x)")) and has_unknown_arguments(call_of("f(**x)"))
    assert not has_unknown_arguments(call_of("f(1, a=2)"))


@pytest.mark.parametrize(("text", "value"), [("-1", -1), ("None", None), ("'a'", "a"), ("x", ...), ("-x", ...)])
def test_a_literal_has_a_value(text: str, value: object) -> None:
    assert constant(ast.parse(text, mode="eval").body) is value or value == constant(ast.parse(text, mode="eval").body)
