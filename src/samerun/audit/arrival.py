"""SR122, SR123: results in the order in which threads, processes and tasks happen to finish."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from samerun.audit.fate import Fate
from samerun.audit.finding import ERROR, Hit
from samerun.audit.generators import thread_functions
from samerun.audit.names import Names
from samerun.audit.scopes import COMPREHENSIONS

BY_ARRIVAL: Final = frozenset({"concurrent.futures.as_completed", "asyncio.as_completed"})
WAITS: Final = frozenset({"concurrent.futures.wait", "asyncio.wait"})
GROWING: Final = frozenset({"append", "extend", "insert", "appendleft"})


def arrivals(names: Names) -> Iterator[Hit]:
    """Yield results that are used in the order of their arrival. Placing each by its index is no such use."""
    fate = Fate(names)
    for call, dotted in names.calls:
        name = dotted or ""
        if isinstance(call.func, ast.Attribute) and call.func.attr == "imap_unordered":
            name = ".imap_unordered"
        elif dotted not in BY_ARRIVAL and dotted not in WAITS:
            continue
        places = _done_sets(names, call) if dotted in WAITS else [call]
        sinks = [sink for place in places if (sink := fate.sink(place, is_sequence=True)) is not None]
        if sinks:
            yield Hit("SR122", ERROR, call, f"{name}() gives what is finished first, and {sinks[0].how}")


def _done_sets(names: Names, call: ast.Call) -> list[ast.AST]:
    """Where the finished ones of `wait(...)` are read: the first of the pair that it returns."""
    inner: ast.AST = call
    above = names.parent(call)
    if isinstance(above, ast.Await):
        inner, above = above, names.parent(above)
    if isinstance(above, ast.Attribute) and above.attr == "done":
        return [above]
    if isinstance(above, ast.Subscript) and isinstance(above.slice, ast.Constant) and above.slice.value == 0:
        return [above]
    if isinstance(above, ast.Assign) and above.value is inner and isinstance(above.targets[0], ast.Tuple):
        first = above.targets[0].elts[0]
        return list(names.uses(first)) if isinstance(first, ast.Name) else []
    return []


def shared_lists(names: Names) -> Iterator[Hit]:
    """Yield lists that several threads append to and whose order is used."""
    fate = Fate(names)
    threaded = set(thread_functions(names, several=True))
    for call, _ in names.calls:
        function = names.function(call)
        if function not in threaded or not isinstance(call.func, ast.Attribute) or call.func.attr not in GROWING:
            continue
        holder = call.func.value
        if not isinstance(holder, ast.Name) or not _is_from_outside(names, holder, function):
            continue
        if _is_list(names, holder) and not fate.is_sorted_later(holder):
            yield Hit("SR123", ERROR, call, f"several threads append to {holder.id!r} as each of them gets there")


def _is_from_outside(names: Names, holder: ast.Name, function: ast.AST | None) -> bool:
    owner = names.scopes.scope[holder].owner(holder.id)
    return owner is not None and owner.node is not function and not isinstance(owner.node, COMPREHENSIONS)


def _is_list(names: Names, holder: ast.Name) -> bool:
    for one in names.bindings(holder) or ():
        is_made = isinstance(one.value, ast.Call) and names.dotted(one.value.func) in (
            "builtins.list",
            "collections.deque",
        )
        if is_made or isinstance(one.value, ast.List | ast.ListComp):
            return True
    return False
