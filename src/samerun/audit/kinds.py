"""What kind of value an expression surely is, where a file shows it: a set (and of what), a float, a clock's reading.

A name has a kind only if everything that binds it has that kind: what is bound twice to different things is unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final, Literal

from samerun.audit.names import Names, constant

Elements = Literal["text", "integer", "unknown"]
DEEPEST: Final = 8
SET_MAKERS: Final = frozenset({"builtins.set", "builtins.frozenset"})
SET_METHODS: Final = frozenset({"union", "intersection", "difference", "symmetric_difference", "copy"})
SET_NAMES: Final = frozenset(
    {"builtins.set", "builtins.frozenset", "typing.Set", "typing.FrozenSet", "typing.AbstractSet", "typing.MutableSet"}
    | {"collections.abc.Set", "collections.abc.MutableSet"}
)
SET_OPERATORS: Final = (ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor)
INTEGERS: Final = frozenset({"builtins.int", "builtins.len", "builtins.ord", "builtins.range"})
CLOCKS: Final = frozenset(
    {f"time.{name}{unit}" for name in ("time", "monotonic", "perf_counter", "process_time") for unit in ("", "_ns")}
    | {"time.thread_time", "time.ctime", "time.localtime", "time.gmtime", "time.strftime"}
    | {"datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today"}
)
FLOAT_CALLS: Final = frozenset({"builtins.float", *(f"math.{name}" for name in ("sqrt", "exp", "log", "pow", "sin"))})


class Kinds:
    """Questions about values in one file."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def elements(self, node: ast.AST, depth: int = DEEPEST) -> Elements | None:
        """Return what a set (or a dict whose keys come from one) holds; None where `node` is not surely one."""
        if not depth:
            return None
        if isinstance(node, ast.Set):
            return _elements(node.elts)
        if isinstance(node, ast.SetComp):
            return "integer" if self._is_integer(node.elt) else "unknown"
        if isinstance(node, ast.DictComp):
            return self.elements(node.generators[0].iter, depth - 1)
        if isinstance(node, ast.Call):
            return self._of_call(node, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, SET_OPERATORS):
            return self._of_operation(node, depth)
        if isinstance(node, ast.IfExp):
            return _both(self.elements(node.body, depth - 1), self.elements(node.orelse, depth - 1))
        if isinstance(node, ast.Name):
            return self._of_name(node, depth)
        if isinstance(node, ast.Attribute):
            return self._of_attribute(node, depth)
        return None

    def _of_call(self, call: ast.Call, depth: int) -> Elements | None:
        dotted = self.names.dotted(call.func)
        if dotted in SET_MAKERS:
            return self._made_of(call.args[0], depth) if call.args else "unknown"
        if dotted == "builtins.dict.fromkeys" and call.args:
            return self.elements(call.args[0], depth - 1)
        if isinstance(call.func, ast.Attribute) and call.func.attr in SET_METHODS:
            return _unsure(self.elements(call.func.value, depth - 1), bool(call.args))
        return None

    def _made_of(self, source: ast.expr, depth: int) -> Elements:
        if isinstance(source, ast.Call) and self.names.dotted(source.func) == "builtins.range":
            return "integer"
        if isinstance(source, ast.List | ast.Tuple):
            return _elements(source.elts)
        if isinstance(source, ast.GeneratorExp | ast.ListComp):
            return "integer" if self._is_integer(source.elt) else "unknown"
        if isinstance(source, ast.Constant) and isinstance(source.value, str):
            return "text"
        return self.elements(source, depth - 1) or "unknown"

    def _of_operation(self, node: ast.BinOp, depth: int) -> Elements | None:
        left = self.elements(node.left, depth - 1) or _of_keys(node.left)
        if isinstance(node.op, ast.Sub):
            return left
        right = self.elements(node.right, depth - 1) or _of_keys(node.right)
        if left is None and right is None:
            return None
        return left if left == right and left is not None else "unknown"

    def _of_name(self, name: ast.Name, depth: int) -> Elements | None:
        found: list[Elements] = []
        for one in self.names.bindings(name) or ():
            if one.annotation is not None and (given := self._of_annotation(one.annotation)):
                found.append(given)
            elif one.how == "value" and one.value is not None and (made := self.elements(one.value, depth - 1)):
                found.append(made)
            elif not self._keeps(one.node):
                return None
        return _all(found)

    def _keeps(self, target: ast.AST) -> bool:
        """Say whether a binding is `|=` or the like, which leaves a set a set."""
        above = self.names.parent(target)
        return isinstance(above, ast.AugAssign) and isinstance(above.op, SET_OPERATORS)

    def _of_attribute(self, node: ast.Attribute, depth: int) -> Elements | None:
        owner = self.names.class_of(node)
        if owner is None or not _is_self(node):
            return None
        found: list[Elements] = []
        for target in self.names.stores.get(node.attr, ()):
            if self.names.class_of(target) is not owner or not _is_self(target):
                return None
            statement = self.names.parent(target)
            kind = None
            if isinstance(statement, ast.AnnAssign):
                kind = self._of_annotation(statement.annotation)
            if kind is None and isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                kind = self.elements(statement.value, depth - 1)
            if kind is None and not self._keeps(target):
                return None
            found += [kind] if kind else []
        return _all(found)

    def _of_annotation(self, node: ast.expr) -> Elements | None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            sides = [side for side in (node.left, node.right) if constant(side) is not None]
            return self._of_annotation(sides[0]) if len(sides) == 1 else None
        inner = node.slice if isinstance(node, ast.Subscript) else None
        if self.names.dotted(node.value if isinstance(node, ast.Subscript) else node) not in SET_NAMES:
            return None
        named = self.names.dotted(inner) if inner is not None else None
        return "text" if named == "builtins.str" else "integer" if named == "builtins.int" else "unknown"

    def _is_integer(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            return self.names.dotted(node.func) in INTEGERS
        return isinstance(node, ast.Constant) and isinstance(node.value, int)

    def is_float(self, node: ast.AST, depth: int = DEEPEST) -> bool:
        """Say whether an expression is surely a float: annotated, a literal, `float(...)`, or computed from one."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, float)
        if isinstance(node, ast.UnaryOp):
            return self.is_float(node.operand, depth)
        if isinstance(node, ast.BinOp) and depth:
            if isinstance(node.op, ast.FloorDiv | ast.Mod):
                return False
            return self.is_float(node.left, depth - 1) or self.is_float(node.right, depth - 1)
        if isinstance(node, ast.Call):
            return self.names.dotted(node.func) in FLOAT_CALLS
        return isinstance(node, ast.Name) and depth > 0 and self._is_float_name(node, depth)

    def _is_float_name(self, name: ast.Name, depth: int) -> bool:
        bindings = self.names.bindings(name) or []
        return bool(bindings) and all(
            (one.annotation is not None and self.names.dotted(one.annotation) == "builtins.float")
            or (one.how == "value" and one.value is not None and self.is_float(one.value, depth - 1))
            or (one.how == "item" and self._are_floats(one.value, depth - 1))
            for one in bindings
        )

    def _are_floats(self, node: ast.AST | None, depth: int) -> bool:
        if not isinstance(node, ast.List | ast.Tuple) or not node.elts:
            return False
        return all(self.is_float(item, depth) for item in node.elts)

    def holds(self, node: ast.AST, wanted: Callable[[ast.AST], bool], depth: int = 3) -> ast.AST | None:
        """Return what in an expression, or in the values of the names that it reads, is `wanted`."""
        for inner in ast.walk(node):
            if wanted(inner):
                return inner
            if isinstance(inner, ast.Name) and depth and isinstance(inner.ctx, ast.Load):
                for one in self.names.bindings(inner) or ():
                    is_value = one.how == "value" and one.value is not None
                    if is_value and one.value is not node and (found := self.holds(one.value, wanted, depth - 1)):  # type: ignore[arg-type]
                        return found
        return None

    def reads_clock(self, node: ast.AST) -> bool:
        """Say whether a node itself is a call that reads the time."""
        return isinstance(node, ast.Call) and self.names.dotted(node.func) in CLOCKS


def _elements(items: list[ast.expr]) -> Elements:
    values = [constant(item) for item in items]
    if values and all(isinstance(value, str) for value in values):
        return "text"
    return "integer" if values and all(isinstance(value, int) for value in values) else "unknown"


def _of_keys(node: ast.expr) -> Elements | None:
    """`d.keys() & other` is a set, although `d.keys()` keeps its order."""
    is_keys = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args
    return "unknown" if is_keys and node.func.attr == "keys" else None  # type: ignore[attr-defined]


def _is_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def _both(left: Elements | None, right: Elements | None) -> Elements | None:
    return None if left is None or right is None else _all([left, right])


def _all(found: list[Elements]) -> Elements | None:
    if not found:
        return None
    return found[0] if all(one == found[0] for one in found) else "unknown"


def _unsure(kind: Elements | None, is_mixed: bool) -> Elements | None:
    return "unknown" if kind is not None and is_mixed else kind
