"""`make sizes`: the ten largest files, classes, functions and fan-outs of the package.
The limits themselves are tests (tests/rules/test_sizes.py)."""

from __future__ import annotations

from collections.abc import Iterable

import codebase
from codebase import Size


def show(title: str, sizes: Iterable[Size]) -> None:
    print(f"\n{title}")
    for size in sorted(sizes, key=lambda size: (-size.amount, size.where))[:10]:
        print(f"  {size.amount:5}  {size.name}" + ("" if size.where == size.name else f"  ({size.where})"))


def main() -> None:
    modules = codebase.read_modules("src")
    own = codebase.dotted_names(modules)
    show("lines a file (limit 400)", map(codebase.file_lines, modules))
    show("lines a class (limit 200)", (size for module in modules for size in codebase.class_lines(module)))
    show("methods a class (limit 15)", (size for module in modules for size in codebase.methods(module)))
    show("attributes a class (limit 12)", (size for module in modules for size in codebase.attributes(module)))
    show("lines a function (limit 50)", (size for module in modules for size in codebase.functions(module)))
    show("own modules imported by a file (limit 12)", (codebase.fan_out(module, own) for module in modules))


if __name__ == "__main__":
    main()
