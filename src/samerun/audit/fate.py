"""Where the order of an iterable goes: into something that keeps it (a list, a loop, a join), or into something to
which it is all the same (`sorted`, `len`, `in`, another set). The sources of arbitrary order are listings.py and
sets.py; this file only follows a value from the place where it is made.
"""

from __future__ import annotations

import ast

from samerun.audit.consumers import (
    CARRIERS,
    LAZY,
    NEUTRAL,
    NEUTRAL_METHODS,
    Consumers,
    Sink,
    Value,
    is_path,
    is_private,
    is_rebound_sorted,
    sorts,
)
from samerun.audit.names import Names
from samerun.audit.quiet import Quiet
from samerun.audit.scopes import COMPREHENSIONS, Scope


class Fate:
    """Follows values through one file."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.quiet = Quiet(names, self.is_sorted_later)
        self.consumers = Consumers(names, self.quiet)
        self._open: set[tuple[Scope, str] | ast.AST] = set()
        """Variables and functions that are being followed: two that feed each other would be followed for ever."""

    def sink(self, node: ast.AST, *, is_sequence: bool = False) -> Sink | None:
        """Return the first place that keeps the order of `node`, None where every use is indifferent to it."""
        return self._follow(Value(node, is_sequence))

    def is_sorted_later(self, name: ast.Name) -> bool:
        """Say whether a variable is only used in ways to which its order is nothing, or sorted in place."""
        known = [one.how for one in self.names.bindings(name) or ()]
        # What came from outside goes back there: its order may be looked at by who called.
        if not known or "parameter" in known or "import" in known:
            return False
        return self._of_variable(Value(name, True), name) is None

    def _follow(self, value: Value) -> Sink | None:
        above = self.names.parent(value.node)
        if above is None or value.depth <= 0:
            return None
        if isinstance(above, ast.Call):
            return self._into_call(value, above)
        if isinstance(above, ast.keyword):
            return self.consumers.argument(value, self.names.parent(above))
        if isinstance(above, ast.Starred):
            return self._into_star(value, above)
        if isinstance(above, ast.Attribute):
            return self._into_method(value, above)
        if isinstance(above, ast.comprehension):
            return self._into_comprehension(value, above)
        if isinstance(above, ast.For | ast.AsyncFor) and value.node is above.iter:
            if self.quiet.is_numbered(above):
                return Sink(value.node, "its items are numbered")
            is_quiet = self.quiet.block([*above.body, *above.orelse], above)
            return None if is_quiet else Sink(value.node, "a loop goes through it")
        if isinstance(above, ast.IfExp | ast.BoolOp | ast.NamedExpr | ast.BinOp | ast.Await):
            return self._into_expression(value, above)
        return self._into_statement(value, above)

    def _into_expression(self, value: Value, above: ast.AST) -> Sink | None:
        if isinstance(above, ast.IfExp) and value.node is above.test:
            return None
        if isinstance(above, ast.BoolOp) and value.node is not above.values[-1] and not isinstance(above.op, ast.Or):
            return None
        if isinstance(above, ast.BinOp) and not (value.is_sequence and isinstance(above.op, ast.Add)):
            return None
        if isinstance(above, ast.NamedExpr) and value.is_sequence:
            found = self._of_variable(value, above.target)
            if found is not None:
                return found
        return self._follow(value.into(above))

    def _into_statement(self, value: Value, above: ast.AST) -> Sink | None:
        if isinstance(above, ast.YieldFrom):
            return Sink(value.node, "it is yielded")
        if isinstance(above, ast.Subscript) and value.node is above.value and value.is_sequence:
            return None if self.quiet.has_one_item(value.node) else Sink(value.node, "an item is taken by its place")
        if isinstance(above, ast.Assign | ast.AnnAssign):
            return self._into_target(value, above)
        if not value.is_sequence:
            return None
        if isinstance(above, ast.Yield):
            return Sink(value.node, "it is yielded")
        if isinstance(above, ast.Return):
            return self._into_return(value)
        if isinstance(above, ast.Tuple) and isinstance(self.names.parent(above), ast.Return):
            return None if is_private(self.names, value.node) else Sink(value.node, "it is returned")
        if isinstance(above, ast.AugAssign):
            is_quiet = isinstance(above.target, ast.Name) and self.is_sorted_later(above.target)
            return None if is_quiet else Sink(value.node, "it is added to a list")
        return None

    def _into_target(self, value: Value, above: ast.Assign | ast.AnnAssign) -> Sink | None:
        targets = above.targets if isinstance(above, ast.Assign) else [above.target]
        for target in targets:
            if isinstance(target, ast.Tuple | ast.List):
                if len(target.elts) > 1:
                    return Sink(value.node, "it is unpacked")
            elif value.is_sequence and isinstance(target, ast.Name):
                found = self._of_variable(value, target)
                if found is not None:
                    return found
            elif self._is_kept(value, target):
                return Sink(value.node, "it is kept in an attribute")
        return None

    def _into_return(self, value: Value) -> Sink | None:
        """Follow a value to the calls of its function in this file; who calls a public one elsewhere is unknown."""
        function = self.names.function(value.node)
        if not isinstance(function, ast.FunctionDef) or function.name == "__dir__" or function in self._open:
            return None
        self._open.add(function)
        try:
            found = (self._follow(value.into(call)) for call in self.names.calls_of(function))
            sink = next((one for one in found if one is not None), None)
        finally:
            self._open.discard(function)
        if sink is None and is_private(self.names, value.node):
            return None
        return sink or Sink(value.node, "it is returned")

    def _of_variable(self, value: Value, name: ast.Name) -> Sink | None:
        scope = self.names.scopes.scope[name].owner(name.id)
        if value.depth <= 0 or scope is None or (scope, name.id) in self._open:
            return None
        self._open.add((scope, name.id))
        try:
            return self._of_uses(value, name)
        finally:
            self._open.discard((scope, name.id))

    def _of_uses(self, value: Value, name: ast.Name) -> Sink | None:
        uses = self.names.uses(name)
        if any(sorts(self.names, use) for use in uses) or is_rebound_sorted(self.names, name):
            return None
        for use in uses:
            # `x = [...]; x = f(x)`: the use within its own new value is followed there.
            found = self._follow(Value(use, value.is_sequence, value.depth - 1))
            if found is not None:
                return found
        return None

    def _is_kept(self, value: Value, target: ast.expr) -> bool:
        if not value.is_sequence or not isinstance(target, ast.Attribute):
            return False
        return not self._is_quiet_attribute(value, target)

    def _is_quiet_attribute(self, value: Value, target: ast.Attribute) -> bool:
        owner = self.names.class_of(target)
        uses = [use for use in self.names.attributes.get(target.attr, ()) if self.names.class_of(use) is owner]
        if any(sorts(self.names, use) for use in uses):
            return True
        return bool(uses) and all(self._follow(Value(use, True, value.depth - 2)) is None for use in uses)

    def _into_call(self, value: Value, call: ast.Call) -> Sink | None:
        if value.node is call.func:
            return None
        dotted = self.names.dotted(call.func)
        if dotted == "builtins.next":
            return self.consumers.first_of(value, call)
        if dotted in CARRIERS:
            return self._follow(value.into(call, value.is_sequence or dotted not in LAZY))
        if dotted == "builtins.dict.fromkeys":
            return None
        if isinstance(call.func, ast.Attribute) and call.func.attr == "join" and not is_path(dotted):
            return None if self.quiet.is_message(call) else Sink(value.node, "it is joined to one text")
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("extend", "extendleft"):
            holder = call.func.value
            is_quiet = isinstance(holder, ast.Name) and self.is_sorted_later(holder)
            return None if is_quiet else Sink(value.node, "it is added to a list")
        return self.consumers.argument(value, call)

    def _into_star(self, value: Value, star: ast.Starred) -> Sink | None:
        above = self.names.parent(star)
        if isinstance(above, ast.List | ast.Tuple):
            return self._follow(value.into(above, True))
        if isinstance(above, ast.Call) and self.names.dotted(above.func) not in NEUTRAL:
            method = above.func.attr if isinstance(above.func, ast.Attribute) else ""
            is_quiet = method in NEUTRAL_METHODS or self.quiet.is_message(above)
            return None if is_quiet else Sink(value.node, "it is given as arguments")
        return None

    def _into_method(self, value: Value, attribute: ast.Attribute) -> Sink | None:
        call = self.names.parent(attribute)
        if attribute.attr in ("items", "keys", "values") and isinstance(call, ast.Call):
            return self._follow(value.into(call))
        return None

    def _into_comprehension(self, value: Value, generator: ast.comprehension) -> Sink | None:
        above = self.names.parent(generator)
        if value.node is not generator.iter or not isinstance(above, COMPREHENSIONS):
            return None
        if isinstance(above, ast.SetComp | ast.DictComp):
            is_numbered = (
                isinstance(value.node, ast.Call) and self.names.dotted(value.node.func) == "builtins.enumerate"
            )
            return Sink(value.node, "its items are numbered") if is_numbered else None
        return self._follow(value.into(above, value.is_sequence or isinstance(above, ast.ListComp)))
