"""How code uses names: which it reads and then assigns, and which it reads at all. A reading of bytecode, no run of it.

Names are taken by themselves (`self.best` and `other.best` are one name): it is a hint, and only the comparison of two
runs decides.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import _lru_cache_wrapper
from types import CodeType, FrameType, FunctionType, ModuleType

from samerun.run.carried.frames import is_user_code

_READS = frozenset({"LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME", "BINARY_SUBSCR"})
_ASSIGNS = frozenset({"STORE_ATTR", "STORE_GLOBAL", "STORE_DEREF", "STORE_NAME", "STORE_SUBSCR"})


class Usage:
    """What the user's own code does with names; code of installed classes is added as they are met."""

    def __init__(self, frames: Iterable[FrameType]) -> None:
        self.updated: set[str] = set()
        """Names that some code reads and then assigns."""
        self.read: set[str] = set()
        """Names that some code reads without having assigned them."""
        self.globals: set[str] = set()
        """Names of module variables that functions read or assign."""
        self.modules = user_modules()
        self._seen: set[CodeType] = set()
        self._classes: set[type] = set()
        for frame in frames:
            self._add(frame.f_code)
        for module in self.modules:
            for code in _codes_of(vars(module), module.__name__):
                self._add(code)

    def add_class(self, kind: type) -> None:
        """Take the methods of an installed class and its bases into account."""
        if kind in self._classes:
            return
        self._classes.add(kind)
        for base in kind.__mro__[:-1]:
            if not str(base.__module__).startswith(("torch.", "builtins")):
                for code in _codes_of(vars(base), base.__module__):
                    self._add(code)

    def _add(self, code: CodeType) -> None:
        if code in self._seen:
            return
        self._seen.add(code)
        instructions = list(dis.get_instructions(code))
        assigned: set[str] = set()
        read: set[str] = set()
        for index, one in enumerate(instructions):
            name = _key_of(instructions, index) if one.opname.endswith("_SUBSCR") else one.argval
            if name == "":
                continue
            if one.opname in _READS and name not in assigned:
                read.add(name)
                if _is_augmented(instructions, index):
                    self.updated.add(name)
            elif one.opname in _ASSIGNS:
                assigned.add(name)
                self.updated.update({name} & read)
            if one.opname in ("LOAD_GLOBAL", "STORE_GLOBAL"):
                self.globals.add(name)
        self.read |= read
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._add(constant)


def key_name(key: object) -> str:
    """Return the name of a key of a dict: another one than that of an attribute."""
    return f"[{key!r}]"


def _key_of(instructions: Sequence[dis.Instruction], index: int) -> str:
    """Return the name of the text that a subscript is made with, "" where it is no constant."""
    before = [one for one in instructions[max(0, index - 3) : index] if one.opname not in ("COPY", "CACHE")]
    is_text = bool(before) and before[-1].opname == "LOAD_CONST" and isinstance(before[-1].argval, str)
    return key_name(before[-1].argval) if is_text else ""


def _is_augmented(instructions: Sequence[dis.Instruction], index: int) -> bool:
    """Whether a subscript is read to be assigned: `counts["n"] += 1`."""
    return instructions[index].opname == "BINARY_SUBSCR" and instructions[index - 1].opname == "COPY"


def user_modules() -> list[ModuleType]:
    """Return the imported modules that are the user's own, ours and trainers' left out, by name."""
    found = {
        name: module
        for name, module in list(sys.modules.items())
        if isinstance(module, ModuleType)
        and not name.startswith("samerun.")
        and isinstance(file := vars(module).get("__file__"), str)
        and is_user_code(name, file)
    }
    return [module for _, module in sorted({id(module): (name, module) for name, module in found.items()}.values())]


def _codes_of(names: Mapping[str, object], module: str) -> Iterator[CodeType]:
    """Yield the code of the functions and methods in a namespace of this module."""
    for value in list(names.values()):
        function = plain_function(value)
        if function is not None:
            yield function.__code__
        elif issubclass(type(value), type) and vars(value).get("__module__") == module:
            yield from _codes_of(vars(value), module)


def plain_function(value: object) -> FunctionType | None:
    """Return the function behind a method, a property or a cache; no attribute of anything else is asked for."""
    if type(value) in (staticmethod, classmethod):
        value = value.__func__  # type: ignore[attr-defined]
    elif type(value) is property:
        value = value.fget
    if type(value) is _lru_cache_wrapper:
        value = value.__wrapped__
    return value if type(value) is FunctionType else None
