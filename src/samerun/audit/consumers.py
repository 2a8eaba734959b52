"""What a call does with an iterable whose order is arbitrary: carry it on, look at its order, or not care.

Tables of known functions and methods stand here; fate.py follows what is carried on. No unknown function is accused.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final

from samerun.audit.names import Names, constant
from samerun.audit.quiet import Quiet

DEEPEST: Final = 10
NEUTRAL: Final = frozenset(
    {f"builtins.{name}" for name in ("sorted", "len", "sum", "min", "max", "any", "all", "set", "frozenset", "bool")}
    | {f"builtins.{name}" for name in ("isinstance", "print", "repr", "str", "type", "id", "hash")}
    | {"collections.Counter", "math.prod", "warnings.warn", "pprint.pprint", "click.echo", "copy.copy", "copy.deepcopy"}
)
BARS: Final = frozenset({"tqdm.tqdm", "tqdm.auto.tqdm", "rich.progress.track"})
LAZY: Final = BARS | {f"builtins.{name}" for name in ("iter", "map", "filter", "zip", "reversed")}
"""What hands items on one by one: a list made of it has their order, it itself has none yet."""
CARRIERS: Final = LAZY | {
    *(f"builtins.{name}" for name in ("list", "tuple", "enumerate")),
    *(f"itertools.{name}" for name in ("chain", "islice", "takewhile", "dropwhile", "filterfalse", "starmap")),
    *("itertools.product", "itertools.chain.from_iterable", "collections.deque"),
    *("numpy.array", "numpy.asarray", "torch.tensor"),
}
NEUTRAL_METHODS: Final = frozenset(
    {"sort", "update", "add", "discard", "remove", "index", "count", "append", "clear", "isdisjoint", "issubset"}
    | {"issuperset", "union", "intersection", "difference", "symmetric_difference", "difference_update"}
    | {"intersection_update", "symmetric_difference_update", "debug", "info", "warning", "warn", "error", "exception"}
    | {"critical", "log", "assertCountEqual", "assertIn", "assertEqual", "isin", "fail", "get", "setdefault"}
)
"""Methods to which the order of an argument is nothing: those of sets, of loggers, and `in` in other words."""


@dataclass(frozen=True)
class Sink:
    """The place that keeps an arbitrary order, and how, in words."""

    node: ast.AST
    how: str


@dataclass(frozen=True)
class Value:
    """What travels: an expression, and whether it is by now a sequence that has the order within it."""

    node: ast.AST
    is_sequence: bool
    depth: int = DEEPEST

    def into(self, node: ast.AST, is_sequence: bool | None = None) -> Value:
        """Return the value that `node` makes of this one."""
        kept = self.is_sequence if is_sequence is None else is_sequence
        return Value(node, kept, self.depth - 1)


class Consumers:
    """Questions about the calls of one file."""

    def __init__(self, names: Names, quiet: Quiet) -> None:
        self.names = names
        self.quiet = quiet

    def argument(self, value: Value, call: ast.AST | None) -> Sink | None:
        """Return what a call that carries nothing on does with the order of an argument."""
        if not isinstance(call, ast.Call) or not value.is_sequence or self.names.dotted(call.func) in NEUTRAL:
            return None
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if method in NEUTRAL_METHODS or self.quiet.is_message(call):
            return None
        dotted = self.names.dotted(call.func) or ""
        if dotted.startswith(("random.", "numpy.random.", "torch.utils.data.")):
            return Sink(value.node, f"{dotted.rpartition('.')[2]}() draws from it by place")
        return None

    def first_of(self, value: Value, call: ast.Call) -> Sink | None:
        """Return the sink that `next(...)` is, unless there is only one item to take."""
        above = self.names.parent(call)
        is_asked_for_none = isinstance(above, ast.Compare) and any(constant(one) is None for one in above.comparators)
        if is_asked_for_none or isinstance(above, ast.Expr) or self.quiet.has_one_item(value.node):
            return None
        return Sink(call, "its first item is taken")


def is_private(names: Names, node: ast.AST) -> bool:
    """Say whether a node stands in a function that only its own file calls."""
    function = names.function(node)
    return isinstance(function, ast.FunctionDef) and function.name.startswith("_")


def sorts(names: Names, use: ast.AST) -> bool:
    """Say whether a use of a list sorts it: in place, or into the variable itself."""
    above = names.parent(use)
    if isinstance(above, ast.Attribute) and above.attr == "sort":
        return isinstance(names.parent(above), ast.Call)
    if not isinstance(above, ast.Call) or names.dotted(above.func) != "builtins.sorted":
        return False
    statement = names.parent(above)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return isinstance(use, ast.Name) and any(isinstance(one, ast.Name) and one.id == use.id for one in targets)


def is_rebound_sorted(names: Names, name: ast.Name) -> bool:
    """Say whether a variable is bound to a sorted list somewhere."""
    values = [one.value for one in names.bindings(name) or () if one.how == "value"]
    return any(isinstance(one, ast.Call) and names.dotted(one.func) == "builtins.sorted" for one in values)


def is_path(dotted: str | None) -> bool:
    """Say whether a `join` is that of paths."""
    return dotted is not None and dotted.endswith("path.join")
