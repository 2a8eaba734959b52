"""SR160: a float written into a key, a file name or the name of a stream: two values that round alike become one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from samerun.audit.finding import WARNING, Hit
from samerun.audit.kinds import Kinds
from samerun.audit.names import Names

FLOAT_FORMAT: Final = re.compile(r"\.\d+[eEfFgG%]?$|[eEfFgG]$")
PATHS: Final = frozenset(
    {"builtins.open", "pathlib.Path", "pathlib.PurePath", "os.path.join", "os.makedirs", "os.mkdir", "io.open"}
    | {"torch.save", "numpy.save", "numpy.savez", "os.path.exists", "pathlib.PosixPath"}
)
KEY_METHODS: Final = frozenset({"stream", "joinpath", "with_name", "with_suffix", "setdefault", "get", "pop"})
TURNED: Final = frozenset({"builtins.str", "builtins.repr", "builtins.format"})


def keys(names: Names) -> Iterator[Hit]:
    """Yield floats turned into text where the text is what something is found by."""
    kinds = Kinds(names)
    for node in names.scopes.nodes:
        if isinstance(node, ast.JoinedStr):
            shown = next((part for part in node.values if _is_float_part(kinds, part)), None)
        elif isinstance(node, ast.Call) and names.dotted(node.func) in TURNED and node.args:
            shown = node if kinds.is_float(node.args[0]) else None
        else:
            continue
        if shown is None:
            continue
        place = _place(names, node)
        if place is not None:
            yield Hit("SR160", WARNING, node, f"a float is written into {place}")


def _is_float_part(kinds: Kinds, part: ast.expr) -> bool:
    if not isinstance(part, ast.FormattedValue):
        return False
    spec = part.format_spec
    if isinstance(spec, ast.JoinedStr) and len(spec.values) == 1 and isinstance(spec.values[0], ast.Constant):
        return bool(FLOAT_FORMAT.search(str(spec.values[0].value)))
    return spec is None and kinds.is_float(part.value)


def _place(names: Names, node: ast.expr, depth: int = 2) -> str | None:
    above = names.parent(node)
    if isinstance(above, ast.BinOp):
        if isinstance(above.op, ast.Div):
            return "a path"
        return _place(names, above, depth) if isinstance(above.op, ast.Add) else None
    if isinstance(above, ast.Subscript) and above.slice is node:
        return "a key"
    if (isinstance(above, ast.Dict) and node in above.keys) or (isinstance(above, ast.DictComp) and node is above.key):
        return "a key"
    if isinstance(above, ast.JoinedStr | ast.FormattedValue):
        return _place(names, above, depth)
    if isinstance(above, ast.Call) and node in above.args:
        return _argument_place(names, above, node)
    if isinstance(above, ast.Assign) and depth:
        targets = [target for target in above.targets if isinstance(target, ast.Name)]
        places = (_place(names, use, depth - 1) for target in targets for use in names.uses(target))
        return next((place for place in places if place is not None), None)
    return None


def _argument_place(names: Names, call: ast.Call, node: ast.expr) -> str | None:
    if names.dotted(call.func) in PATHS:
        return "a path"
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if method not in KEY_METHODS or (method != "stream" and node is not call.args[0]):
        return None
    return "the name of a stream" if method == "stream" else "a path" if "_" in method or "path" in method else "a key"
