"""Loading runs no code (promise 6): nothing here can unpickle, evaluate text, or read YAML by the unsafe library."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

import codebase
from codebase import Module, planted

CODE_RUNNERS = ("pickle", "_pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "yaml")
LOADERS = frozenset(
    {"marshal.load", "marshal.loads", "torch.load", "torch.save", "torch.hub.load", "numpy.load", "pandas.read_pickle"}
)
BUILTINS = frozenset({"eval", "exec", "compile"})
MAY_COMPILE: frozenset[str] = frozenset()


def code_loading(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        for use in module.imports():
            if use.name.split(".")[0] in CODE_RUNNERS:
                yield f"{module.path}:{use.line} import {use.name}"
        for use in module.uses():
            if use.name in LOADERS:
                yield f"{module.path}:{use.line} {use.name}"
        for call in module.calls():
            if isinstance(call.func, ast.Name) and call.func.id in BUILTINS and module.path not in MAY_COMPILE:
                yield f"{module.path}:{call.lineno} {call.func.id}()"
            allowed = [keyword.value for keyword in call.keywords if keyword.arg == "allow_pickle"]
            if any(ast.unparse(value) != "False" for value in allowed):
                yield f"{module.path}:{call.lineno} allow_pickle"


def test_nothing_can_load_code(modules: list[Module]) -> None:
    assert list(code_loading([*modules, *codebase.read_modules("tools", "bench", "examples")])) == []


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "def f():\n    from joblib import load",
        "import yaml",
        "from marshal import loads\nloads(b'x')",
        "import torch\ntorch.load('x')",
        "from torch import load\nload('x')",
        "import numpy as np\nnp.load('x')",
        "eval('1')",
        "def f(read):\n    read(allow_pickle=True)",
    ],
)
def test_a_way_to_load_code_is_found(text: str) -> None:
    assert list(code_loading([planted(text)])) != []


def test_model_eval_is_not_eval() -> None:
    assert list(code_loading([planted("def f(model):\n    model.eval()")])) == []
