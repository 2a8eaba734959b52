"""What a name or a call in a file means, resolved through imports, aliases and shadowing: `npr.seed` is
`numpy.random.seed`, and a parameter called `random` is no module. What cannot be known is None, never a guess."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from samerun.audit.scopes import FUNCTIONS, Binding, Scope, Scopes

LONGEST_ALIAS = 8
BUILTINS = frozenset(dir(builtins))
SAME = {
    "torch.random.": "torch.",
    "torch.utils.data.dataloader.": "torch.utils.data.",
    "torch.utils.data.dataset.": "torch.utils.data.",
    "torch.cuda.random.": "torch.cuda.",
    "numpy.random.mtrand.": "numpy.random.",
}
"""Modules whose names are known by a shorter path."""


class Names:
    """The names of one file. `calls` lists every call with the dotted name of what it calls, in source order."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.scopes = Scopes(tree)
        self.calls: list[tuple[ast.Call, str | None]] = []
        self.loads: dict[tuple[Scope, str], list[ast.Name]] = {}
        self.stores: dict[str, list[ast.Attribute]] = {}
        """Attributes that are assigned somewhere, by their name."""
        self.attributes: dict[str, list[ast.Attribute]] = {}
        """Attributes that are read somewhere, by their name."""
        for node in self.scopes.nodes:
            self._note(node)

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call):
            self.calls.append((node, self.dotted(node.func)))
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            owner = self.scopes.scope[node].owner(node.id)
            if owner is not None:
                self.loads.setdefault((owner, node.id), []).append(node)
        elif isinstance(node, ast.Attribute):
            table = self.stores if isinstance(node.ctx, ast.Store) else self.attributes
            table.setdefault(node.attr, []).append(node)

    def dotted(self, node: ast.AST, depth: int = LONGEST_ALIAS) -> str | None:
        """Return what an expression names as a dotted path, `builtins.` in front of a builtin; None where unknown."""
        tail: list[str] = []
        while isinstance(node, ast.Attribute):
            tail.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or not depth:
            return None
        root = self._root(node, depth)
        if root is None:
            return None
        whole = ".".join([root, *reversed(tail)])
        return next((short + whole[len(long) :] for long, short in SAME.items() if whole.startswith(long)), whole)

    def _root(self, name: ast.Name, depth: int) -> str | None:
        bindings = self.bindings(name)
        if bindings is None:
            return f"builtins.{name.id}" if name.id in BUILTINS else None
        # `try: import x` / `except ImportError: x = None` still means x.
        real = [one for one in bindings if not (isinstance(one.value, ast.Constant) and one.value.value is None)]
        if real and all(one.how == "import" for one in real):
            return real[0].dotted
        if len(real) == 1 and real[0].how == "value" and isinstance(real[0].value, ast.Name | ast.Attribute):
            return self.dotted(real[0].value, depth - 1)
        return None

    def bindings(self, name: ast.Name) -> list[Binding] | None:
        """Return what binds a name where it is used, None for a builtin or an unknown name."""
        scope = self.scopes.scope[name].owner(name.id)
        return None if scope is None else scope.bindings[name.id]

    def uses(self, name: ast.Name) -> list[ast.Name]:
        """Return every place that reads the variable which `name` stands for."""
        scope = self.scopes.scope[name].owner(name.id)
        return [] if scope is None else self.loads.get((scope, name.id), [])

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the node around a node, None for the module."""
        return self.scopes.parent.get(node)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes around a node, the nearest first."""
        above = self.parent(node)
        while above is not None:
            yield above
            above = self.parent(above)

    def function(self, node: ast.AST) -> ast.AST | None:
        """Return the nearest function or lambda around a node; None at module or class level.

        What a function's header evaluates (defaults, decorators) lies outside it.
        """
        child = node
        for above in self.around(node):
            if isinstance(above, FUNCTIONS) and not _is_header(child, above):
                return above
            child = above
        return None

    def calls_of(self, function: ast.FunctionDef) -> list[ast.Call]:
        """Return the calls in this file of a function or method that it defines."""
        scope = self.scopes.scope[function]
        found: list[ast.AST | None] = []
        if isinstance(scope.node, ast.ClassDef):
            uses: list[ast.Attribute] = self.attributes.get(function.name, [])
            found = [use for use in uses if self.class_of(use) is scope.node]
        found += self.loads.get((scope, function.name), [])
        above = [(use, self.parent(use)) for use in found if use is not None]
        return [call for use, call in above if isinstance(call, ast.Call) and call.func is use]

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """Return the nearest class around a node."""
        return next((above for above in self.around(node) if isinstance(above, ast.ClassDef)), None)


def _is_header(child: ast.AST, function: ast.AST) -> bool:
    if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return child in function.decorator_list or child is function.returns or child is function.args
    return isinstance(child, ast.arguments)


def argument(call: ast.Call, position: int | None, *names: str) -> ast.expr | None:
    """Return an argument of a call by its position or one of its names, None where it is not given."""
    for keyword in call.keywords:
        if keyword.arg in names:
            return keyword.value
    if position is None or any(isinstance(one, ast.Starred) for one in call.args[: position + 1]):
        return None
    return call.args[position] if position < len(call.args) else None


def has_unknown_arguments(call: ast.Call) -> bool:
    """Say whether `*args` or `**kwargs` may give an argument that cannot be seen."""
    return any(one.arg is None for one in call.keywords) or any(isinstance(one, ast.Starred) for one in call.args)


def constant(node: ast.AST | None) -> object:
    """Return the value of a literal number, text, True, False or None; Ellipsis where it is none."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(value, int | float) else ...
    return node.value if isinstance(node, ast.Constant) else ...
