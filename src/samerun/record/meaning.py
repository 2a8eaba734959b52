"""What a Python file means, as a digest: its syntax tree without comments, layout, line numbers and docstrings.

Any change of an operator, a constant, a name or an annotation moves the digest. It is written down by our own walk and
not by `ast.dump`, whose text differs between Python versions. Which files count is in closure.py.
"""

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256 as hashlib_sha256
from typing import Any, Final

FORMAT: Final = 1
"""Version of the walk; another one gives other digests."""

_SKIPPED_FIELDS: Final = frozenset({"kind", "type_comment", "type_ignores"})
_DOCUMENTED: Final = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_DOC_READERS: Final = frozenset({"__doc__", "getdoc"})


@dataclass(frozen=True)
class Imported:
    """One name that a file imports: `from ..a.b import c` has level 2, module `a.b` and name `c`."""

    level: int
    module: str
    name: str | None = None


@dataclass(frozen=True)
class Meaning:
    """What was found in the bytes of one file."""

    kind: str
    """`python`, or `bytes` for what does not parse."""
    code: str
    """Digest without docstrings."""
    documented: str
    """Digest with docstrings, for programs that read them."""
    reads_docs: bool
    """Whether the file reads docstrings (`__doc__`, `getdoc`), other than copying one to another `__doc__`."""
    imports: tuple[Imported, ...] = ()
    exported: tuple[str, ...] = ()
    """Texts in a literal `__all__`, which a star import loads."""


def meaning_of(data: bytes) -> Meaning:
    """Read the bytes of one file; those that do not parse here count byte by byte."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
        code, documented = _digest(tree, with_docs=False), _digest(tree, with_docs=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raw = f"sha256:{hashlib_sha256(data).hexdigest()}"
        return Meaning("bytes", raw, raw, reads_docs=False)
    imports = tuple(dict.fromkeys(_imports(tree)))
    return Meaning("python", code, documented, _reads_docs(tree), imports, tuple(_exported(tree)))


def _digest(tree: ast.Module, *, with_docs: bool) -> str:
    out: list[str] = [f"samerun.meaning/{FORMAT}"]
    _write(tree, out, with_docs)
    return f"sha256:{hashlib_sha256(''.join(out).encode('utf-8', 'surrogatepass')).hexdigest()}"


def _write(node: ast.AST, out: list[str], with_docs: bool) -> None:
    if isinstance(node, ast.Constant):
        out.append(_constant(node.value))
        return
    out.append(type(node).__name__)
    out.append("(")
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            keeps_first = with_docs and field == "body" and isinstance(node, _DOCUMENTED)
            value = [one for index, one in enumerate(value) if not _is_idle(one) or (keeps_first and index == 0)]
        # Absent and empty are one: later Python versions add fields that are empty for older programs.
        if field not in _SKIPPED_FIELDS and value is not None and value != []:
            out.append(f"{field}=")
            _write_value(value, out, with_docs)
            out.append(",")
    out.append(")")


def _write_value(value: Any, out: list[str], with_docs: bool) -> None:
    if isinstance(value, ast.AST):
        _write(value, out, with_docs)
    elif isinstance(value, list):
        out.append("[")
        for one in value:
            _write_value(one, out, with_docs)
            out.append(",")
        out.append("]")
    elif isinstance(value, str):
        out.append(f"{len(value)}:{value}")
    else:
        out.append(repr(value))


def _is_idle(value: Any) -> bool:
    """Whether a statement does nothing: `pass`, or a text standing alone (a docstring, also of an attribute)."""
    if isinstance(value, ast.Expr):
        return isinstance(value.value, ast.Constant) and isinstance(value.value.value, str)
    return isinstance(value, ast.Pass)


def _constant(value: Any) -> str:
    if isinstance(value, str):
        return f"str{len(value)}:{value}"
    if isinstance(value, float):
        return f"float:{value.hex()}"
    if isinstance(value, complex):
        return f"complex:{value.real.hex()},{value.imag.hex()}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"int:{value:x}"
    return f"{type(value).__name__}:{value!r}"


def _reads_docs(tree: ast.Module) -> bool:
    copied = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and all(isinstance(target, ast.Attribute) and target.attr == "__doc__" for target in node.targets)
    }
    for node in ast.walk(tree):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
        if name in _DOC_READERS and id(node) not in copied and isinstance(getattr(node, "ctx", None), ast.Load):
            return True
    return False


def _imports(node: ast.AST) -> Iterator[Imported]:
    """Yield every import that may run: at the top, in functions, under conditions, but not under TYPE_CHECKING."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Imported(0, alias.name)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield Imported(node.level, node.module or "", alias.name)
    elif isinstance(node, ast.Call):
        yield from _dynamic(node)
    children = node.orelse if isinstance(node, ast.If) and _is_type_checking(node.test) else ast.iter_child_nodes(node)
    for child in children:
        yield from _imports(child)


def _dynamic(call: ast.Call) -> Iterator[Imported]:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
    if called not in ("import_module", "__import__") or not call.args or not isinstance(call.args[0], ast.Constant):
        return
    text = call.args[0].value
    if isinstance(text, str):
        module = text.lstrip(".")
        yield Imported(len(text) - len(module), module)


def _is_type_checking(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
    return name == "TYPE_CHECKING"


def _exported(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            continue
        value = getattr(node, "value", None)
        if isinstance(value, (ast.List, ast.Tuple)):
            texts = [item.value for item in value.elts if isinstance(item, ast.Constant)]
            yield from (text for text in texts if isinstance(text, str))
