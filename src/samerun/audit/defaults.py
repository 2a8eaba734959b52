"""SR150, SR151: defaults that remember: made once when a function or class is defined, shared by every use after."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from samerun.audit.finding import ERROR, WARNING, Grade, Hit
from samerun.audit.generators import MAKERS, is_unseeded
from samerun.audit.names import Names, argument

MUTATORS: Final = frozenset(
    [
        "append",
        "extend",
        "insert",
        "add",
        "update",
        "pop",
        "popitem",
        "remove",
        "discard",
        "clear",
        "setdefault",
        "sort",
        "reverse",
        "appendleft",
    ]
)
CONTAINERS: Final = frozenset(
    {f"builtins.{name}" for name in ("list", "dict", "set", "bytearray")}
    | {f"collections.{name}" for name in ("deque", "defaultdict", "OrderedDict", "Counter")}
)
STATEFUL: Final = frozenset({*MAKERS, "torch.Generator", "itertools.count", "itertools.cycle"}) - {
    "random.seed",
    "numpy.random.seed",
}
ARRAYS: Final = frozenset(
    f"{package}.{name}"
    for package in ("numpy", "torch")
    for name in ("zeros", "ones", "empty", "full", "array", "tensor")
)
DATACLASSES: Final = frozenset({"dataclasses.dataclass", "attr.s", "attr.define", "attrs.define", "attr.dataclass"})
FIELDS: Final = frozenset({"dataclasses.field", "attr.ib", "attrs.field", "attr.field"})
DISPLAYS: Final = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def defaults(names: Names) -> Iterator[Hit]:
    """Yield default arguments that a call changes, or gives away to who may."""
    for node in names.scopes.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for parameter, default in _defaults(node.args):
                yield from _judged(names, node, parameter, default)


def _defaults(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr]]:
    positional = [*arguments.posonlyargs, *arguments.args]
    if arguments.defaults:
        yield from zip(positional[-len(arguments.defaults) :], arguments.defaults, strict=True)
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield parameter, default


def _judged(
    names: Names, function: ast.FunctionDef | ast.AsyncFunctionDef, parameter: ast.arg, default: ast.expr
) -> Iterator[Hit]:
    made = names.dotted(default.func) if isinstance(default, ast.Call) else None
    if made in STATEFUL and isinstance(default, ast.Call):
        if made in MAKERS and is_unseeded(default):
            return  # SR102 says what is worse about it
        yield Hit("SR150", ERROR, default, f"the default of {parameter.arg!r} goes on from call to call: {made}()")
        return
    if not isinstance(default, DISPLAYS) and made not in CONTAINERS:
        return
    grade = _use(names, function, parameter.arg)
    if grade is not None:
        done = "is changed by the call" if grade == ERROR else "is kept or given out"
        yield Hit("SR150", grade, default, f"the default of {parameter.arg!r} is shared by all calls and {done}")


def _use(names: Names, function: ast.AST, name: str) -> Grade | None:
    scope = next(s for node, s in names.scopes.scope.items() if s.node is function and not isinstance(node, ast.Name))
    bindings = scope.bindings.get(name, [])
    rebound = [one for one in bindings if one.how != "parameter"]
    if any(not isinstance(names.parent(one.node), ast.AugAssign) for one in rebound):
        return None
    if rebound or any(_changes(names, use) for use in names.loads.get((scope, name), ())):
        return ERROR
    if any(_gives_out(names, use) for use in names.loads.get((scope, name), ())):
        return WARNING
    return None


def _changes(names: Names, use: ast.AST) -> bool:
    above = names.parent(use)
    if isinstance(above, ast.Attribute) and above.attr in MUTATORS:
        call = names.parent(above)
        return isinstance(call, ast.Call) and call.func is above
    return isinstance(above, ast.Subscript) and above.value is use and not isinstance(above.ctx, ast.Load)


def _gives_out(names: Names, use: ast.AST) -> bool:
    above = names.parent(use)
    if isinstance(above, ast.Return):
        return True
    return isinstance(above, ast.Assign) and any(isinstance(one, ast.Attribute) for one in above.targets)


def fields(names: Names) -> Iterator[Hit]:
    """Yield fields of dataclasses whose default is one object for all instances."""
    for node in names.scopes.nodes:
        if not isinstance(node, ast.ClassDef) or not any(_is_dataclass(names, one) for one in node.decorator_list):
            continue
        for item in node.body:
            if not isinstance(item, ast.AnnAssign) or item.value is None or "ClassVar" in ast.unparse(item.annotation):
                continue
            shared = _shared_default(names, item.value)
            if shared is not None:
                name = ast.unparse(item.target)
                yield Hit("SR151", WARNING, shared, f"all instances share the default of {node.name}.{name}")


def _is_dataclass(names: Names, decorator: ast.expr) -> bool:
    return names.dotted(decorator.func if isinstance(decorator, ast.Call) else decorator) in DATACLASSES


def _shared_default(names: Names, value: ast.expr) -> ast.expr | None:
    if isinstance(value, ast.Call) and names.dotted(value.func) in FIELDS:
        inner = argument(value, None, "default")
        return None if inner is None else _shared_default(names, inner)
    made = names.dotted(value.func) if isinstance(value, ast.Call) else None
    is_mutable = isinstance(value, DISPLAYS) or made in CONTAINERS | STATEFUL | ARRAYS
    return value if is_mutable else None
