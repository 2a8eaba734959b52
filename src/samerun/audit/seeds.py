"""SR110-SR112: seeds and choices made from what is another thing in every process: the clock, a process number, the
operating system's entropy, `hash()` of a text, the address of an object."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from samerun.audit.finding import ERROR, Hit
from samerun.audit.generators import MAKERS, SEEDING
from samerun.audit.kinds import CLOCKS, Kinds
from samerun.audit.names import Names

PROCESS: Final = frozenset(
    {"os.urandom", "os.getrandom", "os.getpid", "os.getppid", "threading.get_ident", "threading.get_native_id"}
    | {"uuid.uuid1", "uuid.uuid4", "secrets.randbits", "secrets.randbelow", "secrets.token_bytes", "secrets.token_hex"}
    | {"builtins.hash", "builtins.id"}
)
SEED_NAME: Final = re.compile(r"(^|_)seed(s|_value)?$", re.IGNORECASE)
SEED_METHODS: Final = frozenset({"manual_seed", "seed", "manual_seed_all"})
SORTERS: Final = frozenset({"builtins.sorted", "builtins.min", "builtins.max"})
CUTS: Final = (ast.Mod, ast.BitAnd, ast.RShift)


def seeds(names: Names) -> Iterator[Hit]:
    """Yield seeds that no setting decides."""
    kinds = Kinds(names)

    def is_source(node: ast.AST) -> bool:
        dotted = names.dotted(node.func) if isinstance(node, ast.Call) else None
        return dotted in PROCESS or dotted in CLOCKS

    seen: set[ast.AST] = set()
    for place, value in _seed_places(names):
        source = kinds.holds(value, is_source)
        if isinstance(source, ast.Call) and source not in seen:
            seen.add(source)
            yield Hit("SR110", ERROR, source, f"a seed is made from {names.dotted(source.func)}() ({place})")


def _seed_places(names: Names) -> Iterator[tuple[str, ast.expr]]:
    for call, dotted in names.calls:
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        makes = dotted in SEEDING or dotted in MAKERS or (dotted is None and method in SEED_METHODS)
        if makes:
            yield from ((dotted or f".{method}", value) for value in call.args)
        for keyword in call.keywords:
            if keyword.arg is not None and (makes or SEED_NAME.search(keyword.arg)):
                yield keyword.arg, keyword.value
    for node in names.scopes.nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                name = _target_name(target)
                if SEED_NAME.search(name):
                    yield name, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None and SEED_NAME.search(_target_name(node.target)):
            yield _target_name(node.target), node.value


def _target_name(target: ast.expr) -> str:
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute):
        return target.attr
    key = target.slice if isinstance(target, ast.Subscript) else None
    return str(key.value) if isinstance(key, ast.Constant) else ""


def hashes(names: Names) -> Iterator[Hit]:
    """Yield choices made by `hash()` or `id()`: which part of a split, which bucket, which order."""
    for call, dotted in names.calls:
        if dotted in ("builtins.hash", "builtins.id"):
            inner: ast.AST | None = call
            above = names.parent(call)
            while isinstance(above, ast.Call) and names.dotted(above.func) in ("builtins.abs", "builtins.int"):
                inner, above = above, names.parent(above)
            # On the right of a %, it is written into a text.
            is_cut = isinstance(above, ast.BinOp) and isinstance(above.op, CUTS) and above.left is inner
            is_cut = is_cut and not _in_hash_method(names, call)
            if is_cut and not _is_number_hash(call):
                code = "SR111" if dotted == "builtins.hash" else "SR112"
                yield Hit(code, ERROR, call, f"{_short(dotted)}() chooses: it is another number in every process")
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if dotted in SORTERS or method == "sort":
            yield from _sort_keys(names, call)


def _short(dotted: str) -> str:
    return dotted.removeprefix("builtins.")


def _is_number_hash(call: ast.Call) -> bool:
    given = call.args[0] if call.args else None
    return isinstance(given, ast.Constant) and isinstance(given.value, int | float)


def _in_hash_method(names: Names, call: ast.Call) -> bool:
    function = names.function(call)
    return isinstance(function, ast.FunctionDef) and function.name == "__hash__"


def _sort_keys(names: Names, call: ast.Call) -> Iterator[Hit]:
    for keyword in call.keywords:
        if keyword.arg != "key":
            continue
        inner: ast.AST = keyword.value.body if isinstance(keyword.value, ast.Lambda) else keyword.value
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        for part in parts:
            dotted = names.dotted(part.func if isinstance(part, ast.Call) else part)
            if dotted in ("builtins.hash", "builtins.id"):
                code = "SR111" if dotted == "builtins.hash" else "SR112"
                yield Hit(code, ERROR, keyword.value, f"the order is that of {_short(dotted)}()")
