"""SR170, SR171: what a loop reads from around it: an environment variable at each turn, the time that is left."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from samerun.audit.finding import ERROR, WARNING, Hit
from samerun.audit.kinds import Kinds
from samerun.audit.names import Names, constant

LOOPS: Final = (ast.For, ast.AsyncFor, ast.While)
STEPS: Final = frozenset({"steps", "epochs"})


def environment(names: Names) -> Iterator[Hit]:
    """Yield reads of one and the same environment variable at each turn of a loop."""
    for node in names.scopes.nodes:
        key = _key(names, node)
        if key is not None and isinstance(constant(key), str) and _loop(names, node) is not None:
            yield Hit("SR170", WARNING, node, f"the loop reads the environment variable {constant(key)} at each turn")


def _key(names: Names, node: ast.AST) -> ast.expr | None:
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return node.slice if names.dotted(node.value) == "os.environ" else None
    if isinstance(node, ast.Call) and node.args and names.dotted(node.func) in ("os.getenv", "os.environ.get"):
        return node.args[0]
    return None


def _loop(names: Names, node: ast.AST) -> ast.AST | None:
    """The loop that evaluates a node at each turn, within the same function; what a `for` goes through is read once."""
    function = names.function(node)
    child = node
    for above in names.around(node):
        if above is function:
            return None
        is_again = isinstance(above, LOOPS) and child is not getattr(above, "iter", None)
        if is_again and child not in above.orelse:  # type: ignore[attr-defined]
            return above
        child = above
    return None


def time_branches(names: Names) -> Iterator[Hit]:
    """Yield decisions by the clock inside a loop that trains: how far it gets depends on the machine's load."""
    kinds = Kinds(names)
    for node in names.scopes.nodes:
        if not isinstance(node, ast.If | ast.While):
            continue
        source = kinds.holds(node.test, kinds.reads_clock)
        if source is None or not isinstance(source, ast.Call):
            continue
        loop = node if isinstance(node, ast.While) else _loop(names, node)
        if loop is not None and _trains(loop) and (loop is node or _decides(node)):
            yield Hit("SR171", ERROR, node.test, f"{names.dotted(source.func)}() decides what this training loop does")


def _decides(branch: ast.AST) -> bool:
    """Say whether a branch does more than tell: it leaves the loop, or takes another step."""
    for node in ast.walk(branch):
        if isinstance(node, ast.Break | ast.Return | ast.Continue):
            return True
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("backward", "step")
        ):
            return True
    return False


def _trains(loop: ast.AST) -> bool:
    for node in ast.walk(loop):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "backward":
            return True
    iterable = loop.iter if isinstance(loop, ast.For) else None
    return isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Attribute) and iterable.func.attr in STEPS
