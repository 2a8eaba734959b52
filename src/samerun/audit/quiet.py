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
QUIET_BEGINNINGS: Final = ("assert", "remove", "erase", "delete", "discard", "deregister", "unregister")
SETTERS: Final = ("set_", "clear", "close", "zero_", "requires_grad", "stop", "cancel")
"""What an item is told about itself: each of them ends as it would in any order."""
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
            return self._call(one.value, loop)
        if isinstance(one, ast.AugAssign):
            return self._added(one) or self._is_kept_under_item(one.target, loop)
        if isinstance(one, ast.Assign | ast.AnnAssign):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            return all(self._target(target, one.value, loop) for target in targets)
        return False

    def _call(self, node: ast.expr, loop: ast.AST) -> bool:
        if isinstance(node, ast.Constant):
            return True
        if not isinstance(node, ast.Call):
            return False
        if self.names.dotted(node.func) in QUIET_CALLS:
            return True
        if not isinstance(node.func, ast.Attribute):
            return isinstance(node.func, ast.Name) and node.func.id.lstrip("_").startswith(QUIET_BEGINNINGS)
        name = node.func.attr.lstrip("_")
        holder = node.func.value
        if node.func.attr in ("append", "extend", "insert", "appendleft"):
            return self._is_quiet_list(holder)
        if name.startswith(SETTERS) and is_item(holder, loop):
            return True
        return node.func.attr in QUIET_METHODS or name.startswith(QUIET_BEGINNINGS)

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
        starts = [constant(value) for value in _given(self.names, one.target)]
        return bool(starts) and all(isinstance(value, int) for value in starts)

    def _target(self, target: ast.expr, value: ast.expr | None, loop: ast.AST) -> bool:
        if isinstance(target, ast.Subscript):
            return value is None or not _counts(self.names, value)
        if isinstance(target, ast.Tuple):
            return all(self._target(one, value, loop) for one in target.elts)
        if isinstance(target, ast.Attribute):
            return value is None or constant(value) is not ... or is_item(target.value, loop)
        if not isinstance(target, ast.Name):
            return False
        if value is None or constant(value) is not ... or _is_extreme(self.names, value):
            return True
        return all(self._is_of_this_turn(use, target, loop) for use in self.names.uses(target))

    def _is_of_this_turn(self, use: ast.Name, target: ast.Name, loop: ast.AST) -> bool:
        """Say whether a read cannot see what the loop left in a variable: it stands inside, or after another value."""
        around = set(self.names.around(use))
        if loop in around:
            return True
        again = any(isinstance(one, ast.For | ast.While) and one in around for one in self.names.around(loop))
        if use.lineno < getattr(loop, "lineno", 0) and not again:
            return True
        end = getattr(loop, "end_lineno", 0)
        between = range(end + 1, use.lineno + 1)
        return any(getattr(one.node, "lineno", 0) in between for one in self.names.bindings(target) or ())

    def is_numbered(self, loop: ast.For | ast.AsyncFor) -> bool:
        """Say whether a loop over `enumerate(...)` uses the number."""
        if not isinstance(loop.iter, ast.Call) or self.names.dotted(loop.iter.func) != "builtins.enumerate":
            return False
        first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else loop.target
        inside = (node for one in loop.body for node in ast.walk(one))
        return isinstance(first, ast.Name) and any(isinstance(one, ast.Name) and one.id == first.id for one in inside)

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
                return self._is_only_told(above)
        return False

    def _is_only_told(self, statement: ast.stmt) -> bool:
        """Say whether a statement gives a name to something that is only ever part of a message."""
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        uses = self.names.uses(target) if isinstance(target, ast.Name) and target.id not in self._asked else []
        if not isinstance(target, ast.Name) or not uses:
            return False
        self._asked.add(target.id)
        try:
            return all(self.is_message(use) for use in uses)
        finally:
            self._asked.discard(target.id)

    def has_one_item(self, node: ast.AST) -> bool:
        """Say whether the function around compares `len(x)` of the same expression with one."""
        inside = node.args[0] if isinstance(node, ast.Call) and node.args else node
        wanted = ast.dump(inside)
        area = self.names.function(node) or self.names.tree
        for one in ast.walk(area):
            if isinstance(one, ast.Call) and one.args and self.names.dotted(one.func) == "builtins.len":
                above = self.names.parent(one)
                sides = [above.left, *above.comparators] if isinstance(above, ast.Compare) else []
                sides += above.args if isinstance(above, ast.Call) else []
                if any(constant(side) == 1 for side in sides) and ast.dump(one.args[0]) == wanted:
                    return True
        return False


def is_item(node: ast.AST, loop: ast.AST) -> bool:
    """Say whether an expression is the item of a loop, or a part of it: each turn has its own."""
    while isinstance(node, ast.Attribute):
        node = node.value
    target = loop.target if isinstance(loop, ast.For | ast.AsyncFor) else None
    return isinstance(node, ast.Name) and isinstance(target, ast.Name) and node.id == target.id


def _given(names: Names, target: ast.expr) -> list[ast.expr]:
    """What a variable, or an attribute of that name, is set to anywhere in the file."""
    if isinstance(target, ast.Name):
        return [one.value for one in names.bindings(target) or () if one.value is not None]
    stores = names.stores.get(target.attr, []) if isinstance(target, ast.Attribute) else []
    above = [names.parent(store) for store in stores]
    return [one.value for one in above if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None]


def _counts(names: Names, value: ast.expr) -> bool:
    """`numbers[item] = len(numbers)` numbers the items in the order of the turns."""
    calls = [names.dotted(node.func) for node in ast.walk(value) if isinstance(node, ast.Call)]
    return "builtins.next" in calls or (isinstance(value, ast.Call) and calls[0] == "builtins.len")


def _is_extreme(names: Names, value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and names.dotted(value.func) in ("builtins.max", "builtins.min")
