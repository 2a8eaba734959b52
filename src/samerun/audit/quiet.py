"""Blocks, calls and places to which the order of what they are given is nothing: counting, deleting, filling a set or
a dict, telling a person. What fate.py asks when it meets a loop or a call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Final

from samerun.audit.names import Names, constant

QUIET_CALLS: Final = frozenset(
    {"os.remove", "os.unlink", "os.rmdir", "os.rename", "os.replace", "shutil.move", "shutil.rmtree", "os.kill"}
    | {"builtins.print", "builtins.setattr", "builtins.delattr", "warnings.warn", "os.close", "gc.collect"}
    | {"sys.modules.pop", "time.sleep"}
)
QUIET_METHODS: Final = frozenset(
    {"add", "discard", "remove", "rename", "unlink", "rmdir", "pop", "update", "difference_update", "close", "cancel"}
    | {"kill", "terminate", "join", "debug", "info", "warning", "warn", "error", "exception", "critical", "log"}
    | {"clear", "setdefault", "start", "shutdown", "mkdir", "touch", "requires_grad_", "release", "result"}
)
LOGGING: Final = frozenset({"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "fail"})
MESSAGES: Final = frozenset({"builtins.print", "warnings.warn", "sys.stderr.write", "sys.exit", "click.echo"})


class Quiet:
    """Questions about the blocks of one file; `is_sorted_later` says whether a list's order is ever looked at."""

    def __init__(self, names: Names, is_sorted_later: Callable[[ast.Name], bool]) -> None:
        self.names = names
        self.is_sorted_later = is_sorted_later
        self._asked: set[str] = set()

    def block(self, statements: Sequence[ast.stmt], loop: ast.AST) -> bool:
        """Say whether a loop's body does the same in any order of its turns."""
        return not self._uses_item(statements, loop) or self._all(statements, loop)

    def _all(self, statements: Sequence[ast.stmt], loop: ast.AST) -> bool:
        return all(self._statement(one, loop) for one in statements)

    def _uses_item(self, statements: Sequence[ast.stmt], loop: ast.AST) -> bool:
        """Say whether a body reads what its loop gives it; if not, only the number of turns matters."""
        target = loop.target if isinstance(loop, ast.For | ast.AsyncFor) else None
        if target is None:
            return True
        given = {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
        inside = (node for one in statements for node in ast.walk(one))
        return any(isinstance(node, ast.Name) and node.id in given for node in inside)

    def _statement(self, one: ast.stmt, loop: ast.AST) -> bool:
        if isinstance(one, ast.Pass | ast.Continue | ast.Break | ast.Raise | ast.Assert | ast.Delete):
            return True
        if isinstance(one, ast.Import | ast.ImportFrom | ast.Global | ast.Nonlocal):
            return True
        if isinstance(one, ast.If):
            return self._all([*one.body, *one.orelse], loop)
        if isinstance(one, ast.For | ast.With):
            return self._all(one.body, loop)
        if isinstance(one, ast.Try):
            handlers = [inner for handler in one.handlers for inner in handler.body]
            return self._all([*one.body, *handlers, *one.orelse, *one.finalbody], loop)
        if isinstance(one, ast.Return):
            return one.value is None or constant(one.value) is not ...
        if isinstance(one, ast.Expr):
            return self._call(one.value)
        if isinstance(one, ast.AugAssign):
            return self._added(one) or self._is_kept_under_item(one.target, loop)
        if isinstance(one, ast.Assign | ast.AnnAssign):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            return all(self._target(target, one.value, loop) for target in targets)
        return False

    def _call(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return True
        if not isinstance(node, ast.Call):
            return False
        if self.names.dotted(node.func) in QUIET_CALLS:
            return True
        if not isinstance(node.func, ast.Attribute):
            return isinstance(node.func, ast.Name) and node.func.id.startswith("assert")
        holder = node.func.value
        if node.func.attr in ("append", "extend", "insert", "appendleft"):
            return self._is_quiet_list(holder)
        return node.func.attr in QUIET_METHODS or node.func.attr.startswith("assert")

    def _is_quiet_list(self, holder: ast.expr) -> bool:
        if isinstance(holder, ast.Subscript) and isinstance(holder.value, ast.Name):
            holder = holder.value
        if not isinstance(holder, ast.Name) or holder.id in self._asked:
            return False
        # Two loops that feed each other's lists would ask for ever.
        self._asked.add(holder.id)
        try:
            return self.is_sorted_later(holder)
        finally:
            self._asked.discard(holder.id)

    def _is_kept_under_item(self, target: ast.expr, loop: ast.AST) -> bool:
        """`sums[item] += x`: each turn has a place of its own."""
        item = loop.target if isinstance(loop, ast.For) else None
        if not isinstance(target, ast.Subscript) or not isinstance(item, ast.Name):
            return False
        return any(isinstance(node, ast.Name) and node.id == item.id for node in ast.walk(target))

    def _added(self, one: ast.AugAssign) -> bool:
        if isinstance(one.op, ast.BitOr | ast.BitAnd | ast.BitXor):
            return True
        if not isinstance(one.op, ast.Add | ast.Sub):
            return False
        if isinstance(constant(one.value), int):
            return True
        values = [b.value for b in self.names.bindings(one.target) or ()] if isinstance(one.target, ast.Name) else []
        starts = [constant(value) for value in values if value is not None]
        return bool(starts) and all(isinstance(value, int) for value in starts)

    def _target(self, target: ast.expr, value: ast.expr | None, loop: ast.AST) -> bool:
        if isinstance(target, ast.Subscript):
            return value is None or not self._counts(value)
        if isinstance(target, ast.Tuple):
            return all(self._target(one, value, loop) for one in target.elts)
        if isinstance(target, ast.Attribute):
            return value is None or constant(value) is not ... or loop_item(target, loop)
        if not isinstance(target, ast.Name):
            return False
        if value is None or constant(value) is not ... or self._is_extreme(value):
            return True
        return all(loop in self.names.around(use) for use in self.names.uses(target))

    def _counts(self, value: ast.expr) -> bool:
        """`numbers[item] = len(numbers)` numbers the items in the order of the turns."""
        calls = [self.names.dotted(node.func) for node in ast.walk(value) if isinstance(node, ast.Call)]
        return "builtins.next" in calls or (isinstance(value, ast.Call) and calls[0] == "builtins.len")

    def is_numbered(self, loop: ast.For | ast.AsyncFor) -> bool:
        """Say whether a loop over `enumerate(...)` uses the number."""
        if not isinstance(loop.iter, ast.Call) or self.names.dotted(loop.iter.func) != "builtins.enumerate":
            return False
        first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else loop.target
        inside = (node for one in loop.body for node in ast.walk(one))
        return isinstance(first, ast.Name) and any(isinstance(one, ast.Name) and one.id == first.id for one in inside)

    def _is_extreme(self, value: ast.expr) -> bool:
        return isinstance(value, ast.Call) and self.names.dotted(value.func) in ("builtins.max", "builtins.min")

    def is_message(self, node: ast.AST) -> bool:
        """Say whether a node becomes part of what a person reads: an error, a warning, a line of a log."""
        for above in (node, *self.names.around(node)):
            if isinstance(above, ast.Raise | ast.Assert):
                return True
            if isinstance(above, ast.Call):
                method = above.func.attr if isinstance(above.func, ast.Attribute) else ""
                name = self.names.dotted(above.func) or ""
                if method in LOGGING or name in MESSAGES or name.endswith(("Error", "Exception", "Warning")):
                    return True
            if isinstance(above, ast.stmt):
                return False
        return False

    def has_one_item(self, node: ast.AST) -> bool:
        """Say whether the function around compares `len(x)` of the same expression with one."""
        inside = node.args[0] if isinstance(node, ast.Call) and node.args else node
        wanted = ast.dump(inside)
        area = self.names.function(node) or self.names.tree
        for one in ast.walk(area):
            if isinstance(one, ast.Call) and one.args and self.names.dotted(one.func) == "builtins.len":
                above = self.names.parent(one)
                sides = [above.left, *above.comparators] if isinstance(above, ast.Compare) else []
                if any(constant(side) == 1 for side in sides) and ast.dump(one.args[0]) == wanted:
                    return True
        return False


def loop_item(target: ast.Attribute, loop: ast.AST) -> bool:
    """Say whether an attribute belongs to the item of the loop: each turn sets its own."""
    item = loop.target if isinstance(loop, ast.For) else None
    return isinstance(item, ast.Name) and isinstance(target.value, ast.Name) and target.value.id == item.id
