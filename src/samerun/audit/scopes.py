"""The scopes of a file and what binds each name in them, as Python itself decides it (PEP 227, 572, 709).

A name bound anywhere in a function is local in the whole of it; a class body is not seen from its methods. What a
binding *means* (a module, a set, a number) is names.py's and kinds.py's question.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
How = Literal["import", "value", "parameter", "item", "definition", "other"]


@dataclass(frozen=True, eq=False)
class Binding:
    """One place that binds a name: `value` for an assignment, `dotted` for an import, `annotation` where one stands."""

    how: How
    node: ast.AST
    value: ast.expr | None = None
    dotted: str | None = None
    annotation: ast.expr | None = None


@dataclass(eq=False)
class Scope:
    """A module, class, function, lambda or comprehension, and the names that it binds."""

    node: ast.AST
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    elsewhere: dict[str, str] = field(default_factory=dict)
    """Names declared `global` or `nonlocal`."""

    def owner(self, name: str) -> Scope | None:
        """Return the scope whose binding a use of `name` here means, None for a builtin or an unknown name."""
        scope: Scope | None = self
        if self.elsewhere.get(name) == "global":
            scope = self.module()
        while scope is not None:
            is_seen = scope is self or not isinstance(scope.node, ast.ClassDef)
            if is_seen and name in scope.bindings and name not in scope.elsewhere:
                return scope
            scope = scope.parent
        return None

    def module(self) -> Scope:
        """Return the scope of the file."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def function(self) -> Scope:
        """Return the scope in which a walrus here binds: the nearest that is no comprehension."""
        scope = self
        while isinstance(scope.node, COMPREHENSIONS) and scope.parent is not None:
            scope = scope.parent
        return scope

    def bind(self, name: str, binding: Binding) -> None:
        """Add a binding, in the scope that a `global` or `nonlocal` statement sends it to."""
        target: Scope = self
        if self.elsewhere.get(name) == "global":
            target = self.module()
        elif self.elsewhere.get(name) == "nonlocal" and self.parent is not None:
            target = self.parent.owner(name) or self.parent
        target.bindings.setdefault(name, []).append(binding)


class Scopes:
    """Every node of a tree with its scope and its parent. Built once, without recursion: sources may nest deeply."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.scope: dict[ast.AST, Scope] = {}
        self.parent: dict[ast.AST, ast.AST] = {}
        self.nodes: list[ast.AST] = []
        self._enter()
        for node in self.nodes:
            for name, binding in _bound(node, self.parent):
                scope = self.scope[node]
                is_walrus = isinstance(self.parent.get(node), ast.NamedExpr)
                (scope.function() if is_walrus else scope).bind(name, binding)

    def _enter(self) -> None:
        waiting: list[tuple[ast.AST, Scope]] = [(self.tree, Scope(self.tree, None))]
        while waiting:
            node, scope = waiting.pop()
            self.scope[node] = scope
            self.nodes.append(node)
            if isinstance(node, ast.Global | ast.Nonlocal):
                kind = "global" if isinstance(node, ast.Global) else "nonlocal"
                scope.elsewhere.update(dict.fromkeys(node.names, kind))
            inner = Scope(node, scope) if isinstance(node, (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef)) else scope
            outside = set(_outside(node, self._is_first(node)))
            for child in reversed(list(ast.iter_child_nodes(node))):
                self.parent[child] = node
                waiting.append((child, self._around(node, scope) if child in outside else inner))

    def _is_first(self, node: ast.AST) -> bool:
        """Say whether a node is the first generator of a comprehension: its iterable is evaluated around it."""
        above = self.parent.get(node)
        return isinstance(above, COMPREHENSIONS) and above.generators[0] is node

    def _around(self, node: ast.AST, scope: Scope) -> Scope:
        is_inside = isinstance(node, ast.arguments | ast.comprehension)
        return scope.parent if is_inside and scope.parent is not None else scope


def _outside(node: ast.AST, is_first: bool) -> Iterator[ast.AST]:
    """Children of a scope's node that are evaluated around it: decorators, defaults, base classes."""
    if isinstance(node, ast.ClassDef):
        yield from (*node.decorator_list, *node.bases, *node.keywords)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from node.decorator_list
        if node.returns is not None:
            yield node.returns
    elif isinstance(node, ast.arguments):
        yield from (*node.defaults, *(default for default in node.kw_defaults if default is not None))
    elif isinstance(node, ast.comprehension) and is_first:
        yield node.iter


def _bound(node: ast.AST, parent: dict[ast.AST, ast.AST]) -> Iterator[tuple[str, Binding]]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id, _stored(node, parent[node])
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from _imported(node)
    elif isinstance(node, ast.arg):
        yield node.arg, Binding("parameter", node, annotation=node.annotation)
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name is not None:
        yield node.name, Binding("other", node)
    elif isinstance(node, ast.MatchMapping) and node.rest is not None:
        yield node.rest, Binding("other", node)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name, Binding("definition", node)


def _stored(name: ast.Name, statement: ast.AST) -> Binding:
    if isinstance(statement, ast.Assign) and name in statement.targets:
        return Binding("value", name, value=statement.value)
    if isinstance(statement, ast.AnnAssign):
        return Binding("value", name, value=statement.value, annotation=statement.annotation)
    if isinstance(statement, ast.NamedExpr):
        return Binding("value", name, value=statement.value)
    if isinstance(statement, ast.For | ast.AsyncFor | ast.comprehension):
        return Binding("item", name, value=statement.iter)
    return Binding("other", name)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Binding]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            root = alias.name.split(".")[0]
            yield alias.asname or root, Binding("import", node, dotted=alias.name if alias.asname else root)
        return
    # A relative import keeps its dots: a project's own `random` is no module of the standard library.
    module = "." * node.level + (node.module or "")
    for alias in node.names:
        if alias.name != "*":
            yield alias.asname or alias.name, Binding("import", node, dotted=f"{module}.{alias.name}")
