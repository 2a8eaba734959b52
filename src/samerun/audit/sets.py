"""SR121: the order of a set, which for texts is another one in every process, used as if it meant something."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from samerun.audit.fate import Fate
from samerun.audit.finding import ERROR, WARNING, Grade, Hit
from samerun.audit.kinds import Kinds
from samerun.audit.names import Names

CANDIDATES: Final = (ast.Set, ast.SetComp, ast.DictComp, ast.Call, ast.BinOp, ast.IfExp, ast.Name, ast.Attribute)


def sets(names: Names) -> Iterator[Hit]:
    """Yield every set whose order goes somewhere; sets that surely hold integers only have one order."""
    fate, kinds = Fate(names), Kinds(names)
    for node in names.scopes.nodes:
        if not isinstance(node, CANDIDATES) or isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
            continue
        sink = fate.sink(node)
        elements = kinds.elements(node) if sink is not None else None
        if sink is None or elements is None or elements == "integer":
            continue
        grade: Grade = ERROR if elements == "text" else WARNING
        what = "a dict whose keys come from a set" if _is_dict(node) else "a set"
        yield Hit("SR121", grade, node, f"{what} has no order, and {sink.how}")


def _is_dict(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "fromkeys"
    return isinstance(node, ast.DictComp)
