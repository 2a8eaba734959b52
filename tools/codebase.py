"""The Python files of this repository as data: their syntax trees, the names they use, and how large they are.
The rule tests and `make sizes` stand on it. It judges nothing; limits live in tests/rules/."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
SKIPPED = frozenset({".venv", ".git", "__pycache__", ".demo", "build", "dist"})


@dataclass(frozen=True)
class Use:
    """One place where a name is used: `line`, and the name as a dotted path such as `time.monotonic`."""

    line: int
    name: str
    node: ast.AST


@dataclass(frozen=True)
class Size:
    """One measured thing: how large, what it is called and where it stands."""

    amount: int
    name: str
    where: str


@dataclass(frozen=True)
class Module:
    """A Python file: its path relative to the repository (forward slashes) and its text."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @cached_property
    def bindings(self) -> dict[str, str]:
        """Local name -> dotted name, of every import in the file, also those inside functions."""
        found: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    root = alias.name.split(".")[0]
                    found[alias.asname or root] = alias.name if alias.asname else root
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        return found

    def imports(self, *, top_only: bool = False) -> Iterator[Use]:
        """Every imported module, `from a import b` as `a.b`. `top_only`: what runs when the file is imported."""
        for node in _import_time(self.tree) if top_only else ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Use(node.lineno, alias.name, node)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    yield Use(node.lineno, f"{node.module}.{alias.name}", node)

    def uses(self) -> Iterator[Use]:
        """Every name that resolves through an import of this file: `np.random.seed` -> `numpy.random.seed`."""
        inner: set[int] = set()
        for node in ast.walk(self.tree):
            if id(node) in inner or not isinstance(node, ast.Name | ast.Attribute):
                continue
            if isinstance(node, ast.Attribute):
                inner.update(id(part) for part in _chain(node))
            dotted = self.resolve(node)
            if dotted is not None:
                yield Use(node.lineno, dotted, node)

    def resolve(self, node: ast.AST) -> str | None:
        """The dotted name of an expression, or None where its root is no import of this file."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.bindings:
            return None
        return ".".join([self.bindings[node.id], *reversed(parts)])

    def calls(self) -> Iterator[ast.Call]:
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.Call))


def _chain(node: ast.Attribute) -> Iterator[ast.AST]:
    inside: ast.expr = node.value
    while isinstance(inside, ast.Attribute):
        yield inside
        inside = inside.value
    yield inside


def _import_time(tree: ast.Module) -> Iterator[ast.AST]:
    """Statements that run on import: not function bodies, not `if TYPE_CHECKING:`."""
    waiting: list[ast.AST] = [*tree.body]
    while waiting:
        node = waiting.pop(0)
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
            continue
        waiting.extend(ast.iter_child_nodes(node))


def planted(text: str, path: str = "src/samerun/judge/planted.py") -> Module:
    """A file that does not exist, for the tests that show a rule able to fail."""
    return Module(path, text)


def read_modules(*folders: str) -> list[Module]:
    """Every Python file under `folders` of the repository, sorted by path."""
    found = []
    for folder in folders:
        for path in sorted((REPOSITORY / folder).rglob("*.py")):
            relative = path.relative_to(REPOSITORY)
            if not SKIPPED.intersection(relative.parts):
                found.append(Module(relative.as_posix(), path.read_text("utf-8")))
    return found


def file_lines(module: Module) -> Size:
    return Size(module.text.count("\n"), module.path, module.path)


def functions(module: Module) -> Iterator[Size]:
    """Lines of every function from `def` to its last line, docstring included."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Size(_lines(node), node.name, f"{module.path}:{node.lineno}")


def classes(module: Module) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef))


def class_lines(module: Module) -> Iterator[Size]:
    for node in classes(module):
        yield Size(_lines(node), node.name, f"{module.path}:{node.lineno}")


def methods(module: Module) -> Iterator[Size]:
    """Methods of every class; `__init__` and its like belong to the language, and a property reads as an attribute."""
    for node in classes(module):
        inside = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
        names = {item.name for item in inside if not item.name.startswith("__") and not _is_property(item)}
        yield Size(len(names), node.name, f"{module.path}:{node.lineno}")


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("property" in ast.unparse(mark) or ".setter" in ast.unparse(mark) for mark in node.decorator_list)


def attributes(module: Module) -> Iterator[Size]:
    """Attributes of every class that holds state: annotated fields and what its methods assign on `self`.

    A document has as many fields as there is to say, so tables of settings and frozen dataclasses are left out.
    """
    for node in classes(module):
        is_table = any(ast.unparse(base).endswith(("Table", "BaseModel")) for base in node.bases)
        if is_table or any("frozen=True" in ast.unparse(decorator) for decorator in node.decorator_list):
            continue
        fields = (item.target for item in node.body if isinstance(item, ast.AnnAssign))
        names = {field.id for field in fields if isinstance(field, ast.Name)}
        stored = (
            part for part in ast.walk(node) if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
        )
        names |= {part.attr for part in stored if isinstance(part.value, ast.Name) and part.value.id == "self"}
        yield Size(len(names), node.name, f"{module.path}:{node.lineno}")


def fan_out(module: Module, own: frozenset[str]) -> Size:
    """How many of our own modules a file imports anywhere. `own`: every dotted module name of the package."""
    reached = set()
    for use in module.imports():
        name = use.name
        while name and name not in own:
            name = name.rpartition(".")[0]
        if name and name != "samerun":
            reached.add(name)
    return Size(len(reached), module.path, module.path)


def dotted_names(modules: list[Module]) -> frozenset[str]:
    """`src/samerun/base/clock.py` -> `samerun.base.clock`."""
    paths = (module.path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__") for module in modules)
    return frozenset(path.replace("/", ".") for path in paths)


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1
