"""SR120: what a folder holds, used in the order in which the file system happens to give it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from samerun.audit.consumers import Sink
from samerun.audit.fate import Fate
from samerun.audit.finding import WARNING, Hit
from samerun.audit.names import Names
from samerun.audit.quiet import Quiet

FUNCTIONS: Final = frozenset({"os.listdir", "os.scandir", "glob.glob", "glob.iglob"})
METHODS: Final = frozenset({"iterdir", "rglob"})
WALKS: Final = frozenset({"os.walk", "os.fwalk"})


def listings(names: Names) -> Iterator[Hit]:
    """Yield every listing of a folder whose order goes somewhere."""
    fate = Fate(names)
    for call, dotted in names.calls:
        if dotted in WALKS:
            sink = _walk_sink(names, fate, call)
            if sink is not None:
                yield Hit("SR120", WARNING, call, f"{dotted}() gives folders and files in any order, and {sink.how}")
            continue
        name = dotted if dotted in FUNCTIONS else _method(names, call)
        if name is None:
            continue
        sink = fate.sink(call, is_sequence=True)
        if sink is not None:
            yield Hit("SR120", WARNING, call, f"{name}() lists in any order, and {sink.how}")


def _method(names: Names, call: ast.Call) -> str | None:
    """`.iterdir()` and `.rglob()` of anything are a path's; `.glob(pattern)` may be anybody's function."""
    if not isinstance(call.func, ast.Attribute):
        return None
    attribute = call.func
    if attribute.attr in METHODS:
        return f".{attribute.attr}"
    is_path = attribute.attr == "glob" and names.dotted(attribute) is None and len(call.args) == 1
    return ".glob" if is_path and _looks_like_path(names, attribute.value) else None


def _looks_like_path(names: Names, node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return (names.dotted(node.func) or "").startswith("pathlib.") or _ends_in_path_method(node)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Div)
    if isinstance(node, ast.Attribute):
        return node.attr in ("parent", "root", "path", "folder", "directory", "dir")
    if not isinstance(node, ast.Name):
        return False
    return any(
        (one.annotation is not None and (names.dotted(one.annotation) or "").startswith("pathlib."))
        or (one.value is not None and not isinstance(one.value, ast.Name) and _looks_like_path(names, one.value))
        for one in names.bindings(node) or ()
    )


def _ends_in_path_method(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in ("resolve", "absolute", "expanduser", "joinpath")


def _walk_sink(names: Names, fate: Fate, call: ast.Call) -> Sink | None:
    loop = names.parent(call)
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Tuple) or len(loop.target.elts) < 3:
        return fate.sink(call)
    folders, files = loop.target.elts[1], loop.target.elts[2]
    if not isinstance(folders, ast.Name) or not isinstance(files, ast.Name):
        return None
    is_quiet = Quiet(names, fate.is_sorted_later).block(loop.body, loop)
    if not fate.is_sorted_later(files) and not is_quiet:
        return Sink(call, "the loop uses its files in that order")
    if is_quiet or _sorts_in_place(loop, folders.id):
        return None
    return Sink(call, "the loop goes through its folders in that order")


def _sorts_in_place(loop: ast.For, name: str) -> bool:
    """`folders.sort()`, `folders[:] = sorted(...)`, or `folders.clear()`: the walk goes on in a known order."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Attribute) and node.attr in ("sort", "clear"):
            held: ast.AST = node.value
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            held = node.value
        else:
            continue
        if isinstance(held, ast.Name) and held.id == name:
            return True
    return False
