"""SR107: a generator made once and drawn from in the loop of a run, which the run does not save.

Said only where all uses of the variable are seen: one that is handed to anybody, kept or set again is left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from samerun.audit.finding import ERROR, Hit
from samerun.audit.generators import is_unseeded
from samerun.audit.names import Names
from samerun.audit.scopes import Binding

MAKERS: Final = frozenset({"numpy.random.default_rng", "numpy.random.RandomState", "random.Random", "torch.Generator"})
LOOPS: Final = frozenset({"steps", "epochs"})
KEEPERS: Final = frozenset(
    {"bit_generator", "get_state", "set_state", "getstate", "setstate", "graphsafe_set_state", "spawn", "seed"}
)
"""What sees to the state itself: it may be saved, or begun anew at each step."""


def untracked(names: Names) -> Iterator[Hit]:
    """Yield generators from which the loop of a run draws and whose place nobody saves."""
    seen: set[ast.AST] = set()
    for loop in names.scopes.nodes:
        if not isinstance(loop, ast.For) or not _is_of_run(names, loop.iter):
            continue
        for use in (node for statement in loop.body for node in ast.walk(statement)):
            maker = _maker(names, use, loop) if isinstance(use, ast.Name) and isinstance(use.ctx, ast.Load) else None
            if isinstance(use, ast.Name) and maker is not None and maker not in seen:
                seen.add(maker)
                what = f"{use.id} is made once, drawn from in the loop of line {loop.lineno}, and not tracked"
                yield Hit("SR107", ERROR, maker, what, f"run.track({use.id}={use.id}), or step.stream({use.id!r}).")


def _is_of_run(names: Names, items: ast.expr) -> bool:
    """Say whether a loop goes through `run.steps(...)` or `run.epochs(...)` of a run of ours."""
    if not isinstance(items, ast.Call) or not isinstance(items.func, ast.Attribute) or items.func.attr not in LOOPS:
        return False
    run = items.func.value
    bindings = names.bindings(run) if isinstance(run, ast.Name) else None
    return bool(bindings) and all(_is_run(names, one) for one in bindings or ())


def _is_run(names: Names, one: Binding) -> bool:
    if one.annotation is not None and names.dotted(one.annotation) == "samerun.Run":
        return True
    above = names.parent(one.node)
    made = above.context_expr if isinstance(above, ast.withitem) else one.value
    return isinstance(made, ast.Call) and names.dotted(made.func) == "samerun.start"


def _maker(names: Names, use: ast.Name, loop: ast.For) -> ast.Call | None:
    """Return the call that made the generator which is drawn from here; None where it is another thing, or kept."""
    bindings = names.bindings(use) or []
    if len(bindings) != 1 or not _is_draw(names, use):
        return None
    (one,) = bindings
    call = _seeded(names, one.value)
    is_outside = loop not in names.around(one.node) and names.function(use) is names.function(loop)
    is_outside = is_outside and names.function(one.node) in (names.function(loop), None)
    return call if call is not None and is_outside and not _is_kept(names, use) else None


def _seeded(names: Names, value: ast.expr | None) -> ast.Call | None:
    """Return a call that makes a generator from a seed: without one, it is SR102's or SR103's."""
    if not isinstance(value, ast.Call):
        return None
    if isinstance(value.func, ast.Attribute) and value.func.attr == "manual_seed":
        inner = value.func.value
        return value if isinstance(inner, ast.Call) and names.dotted(inner.func) == "torch.Generator" else None
    dotted = names.dotted(value.func)
    if dotted == "torch.Generator":
        return value
    return value if dotted in MAKERS and not is_unseeded(value) else None


def _is_draw(names: Names, use: ast.Name) -> bool:
    above = names.parent(use)
    if isinstance(above, ast.Attribute):
        call = names.parent(above)
        is_called = isinstance(call, ast.Call) and call.func is above
        return is_called and above.attr not in KEEPERS | {"manual_seed", "initial_seed"}
    return isinstance(above, ast.keyword) and above.arg == "generator" and _is_of_torch(names, above)


def _is_of_torch(names: Names, keyword: ast.keyword) -> bool:
    # A loader of data that is given a generator is another matter: it is no draw of the loop.
    call = names.parent(keyword)
    return isinstance(call, ast.Call) and (names.dotted(call.func) or "").rpartition(".")[0] == "torch"


def _is_kept(names: Names, use: ast.Name) -> bool:
    """Say whether anything else sees the generator: `run.track`, a call, a container, an assignment, its own state."""
    return any(_keeps(names, one) for one in names.uses(use))


def _keeps(names: Names, use: ast.Name) -> bool:
    above = names.parent(use)
    if isinstance(above, ast.Attribute) and above.attr == "manual_seed":
        return any(isinstance(one, ast.For | ast.While) for one in names.around(use))
    return not _is_draw(names, use) and not (isinstance(above, ast.Attribute) and above.attr == "initial_seed")
