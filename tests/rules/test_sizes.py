"""Hard limits of DESIGN 4: files, functions, classes, methods, attributes, fan-out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import codebase
from codebase import Module, Size, planted

FILE_LINES, CLASS_LINES, FUNCTION_LINES, METHODS, ATTRIBUTES, FAN_OUT = 400, 200, 50, 15, 12, 12


def too_large(modules: list[Module], own: frozenset[str]) -> Iterator[str]:
    def over(limit: int, what: str, sizes: Iterator[Size]) -> Iterator[str]:
        for size in sizes:
            if size.amount > limit:
                yield f"{size.where} {size.name}: {size.amount} {what}, limit {limit}"

    for module in modules:
        yield from over(FILE_LINES, "lines", iter([codebase.file_lines(module)]))
        yield from over(CLASS_LINES, "lines", codebase.class_lines(module))
        yield from over(FUNCTION_LINES, "lines", codebase.functions(module))
        yield from over(METHODS, "methods", codebase.methods(module))
        yield from over(ATTRIBUTES, "attributes", codebase.attributes(module))
        yield from over(FAN_OUT, "own modules imported", iter([codebase.fan_out(module, own)]))


def test_no_file_class_or_function_of_the_package_is_too_large(modules: list[Module]) -> None:
    assert list(too_large(modules, codebase.dotted_names(modules))) == []


def test_no_other_file_is_too_long() -> None:
    others = codebase.read_modules("tests", "tools", "bench", "examples")
    assert [size for size in map(codebase.file_lines, others) if size.amount > FILE_LINES] == []


LONG_FUNCTION = "def f():\n" + "    x = 1\n" * 50
FUNCTION_AT_LIMIT = "def f():\n" + "    x = 1\n" * 49
MANY_METHODS = "class A:\n" + "".join(f"    def m{i}(self): ...\n" for i in range(16))
MANY_ATTRIBUTES = "class A:\n    def __init__(self):\n" + "".join(f"        self.a{i} = {i}\n" for i in range(13))
OWN = frozenset({"samerun", *(f"samerun.base.m{i}" for i in range(13))})
MANY_IMPORTS = "".join(f"from samerun.base.m{i} import name\n" for i in range(13))


@pytest.mark.parametrize(
    "text",
    ["x = 1\n" * 401, "class A:\n" + "    x = 1\n" * 200, LONG_FUNCTION, MANY_METHODS, MANY_ATTRIBUTES, MANY_IMPORTS],
    ids=["file", "class", "function", "methods", "attributes", "fan-out"],
)
def test_what_is_over_a_limit_is_found(text: str) -> None:
    assert len(list(too_large([planted(text)], OWN))) == 1


def test_what_is_at_a_limit_passes() -> None:
    assert list(too_large([planted("x = 1\n" * 400), planted(FUNCTION_AT_LIMIT)], OWN)) == []
