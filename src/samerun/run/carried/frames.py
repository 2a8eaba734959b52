"""The user's frames around a step, and which of their variables carry something from one step into the next.

A variable carries where the code after this point may read it before it assigns it (liveness over the bytecode). So
`batch`, `loss` and `step`, which a loop assigns anew each time, do not, and `best = max(best, loss)` does.
"""

from __future__ import annotations

import dis
import os
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from types import CodeType, FrameType

_ENDS = frozenset({"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "INTERPRETER_EXIT"})
_JUMPS = frozenset(
    {"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE", "JUMP", "JUMP_NO_INTERRUPT"}
)
_JUMPING = frozenset((*dis.hasjrel, *dis.hasjabs))
_INSTALLED = ("/site-packages/", "/dist-packages/")
_OWN_PACKAGE = "samerun"
_OWN_FOLDER = str(Path(__file__).parents[2]) + os.sep
_OWN_LOOPS = "samerun.trainers"
"""The trainers are the user's side of the loop: what they hold counts as what a script holds."""


@dataclass(frozen=True)
class Carried:
    """The variables of one frame that a later step may read: `live`, and of these the ones a loop assigns again."""

    live: frozenset[str]
    rebound: frozenset[str]
    targets: frozenset[str]
    """What the `for` that asks for the next step assigns: what it iterates over lies where nobody can look."""


def user_frames() -> list[FrameType]:
    """Return the frames above the caller that are the user's code, innermost first."""
    frames, frame = [], sys._getframe(1)
    while frame is not None:
        if is_user_code(frame.f_globals.get("__name__") or "", frame.f_code.co_filename):
            frames.append(frame)
        frame = frame.f_back  # type: ignore[assignment]
    return frames


@lru_cache(maxsize=4096)
def is_user_code(module: str, file: str | None) -> bool:
    """Whether code of this module and file is the user's: neither Python's, nor installed, nor ours."""
    if module == _OWN_LOOPS or module.startswith(f"{_OWN_LOOPS}."):
        return True
    if module == _OWN_PACKAGE or module.startswith(f"{_OWN_PACKAGE}."):
        return False
    # A module of ours that is run by its name is called `__main__`.
    if file is None or file.startswith((_OWN_FOLDER, "<frozen")):
        return False
    if any(part in file.replace("\\", "/") for part in _INSTALLED):
        return False
    paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    return not any(file.startswith(path) for path in paths if path)


def is_user_class(kind: type) -> bool:
    """Whether a class is defined in the user's code."""
    module = sys.modules.get(kind.__module__) if isinstance(kind.__module__, str) else None
    return module is not None and is_user_code(kind.__module__, vars(module).get("__file__"))


def carried_by(frame: FrameType) -> Carried:
    """Say which variables of a suspended frame are read behind the point where it stands."""
    return _carried_at(frame.f_code, frame.f_lasti)


@lru_cache(maxsize=1024)
def _carried_at(code: CodeType, offset: int) -> Carried:
    graph = _Graph(code, offset)
    return Carried(graph.live(), graph.rebound(), graph.targets())


class _Graph:
    """The flow of one code object behind the instruction at `offset`."""

    def __init__(self, code: CodeType, offset: int) -> None:
        self._all: list[dis.Instruction] = []
        self._at: dict[int, int] = {}
        for one in dis.get_instructions(code):
            # A jump leads to the prefix of an instruction, where that has one.
            self._at[one.offset] = len(self._all)
            if one.opname not in ("CACHE", "EXTENDED_ARG"):
                self._all.append(one)
        self._offset = offset
        self._cleared = {one.argval for one in self._all if one.opname == "LOAD_FAST_AND_CLEAR"}
        self._next: list[set[int]] = [set(self._after(index)) for index in range(len(self._all))]
        self._add_excepts(code)
        here = max((index for index, one in enumerate(self._all) if one.offset <= offset), default=-1)
        self._here = here
        # The call (or FOR_ITER) returns here: what follows is the body, not the way out of the loop.
        self._start = here + 1

    def live(self) -> frozenset[str]:
        """Return the names that may be read from here on before they are assigned."""
        before: list[frozenset[str]] = [frozenset()] * len(self._all)
        changed = True
        while changed:
            changed = False
            for index in range(len(self._all) - 1, -1, -1):
                after = frozenset().union(*(before[one] for one in self._next[index]))
                reads, assigns = self._names(index)
                now = reads | (after - assigns)
                if now != before[index]:
                    before[index], changed = now, True
        return before[self._start] if self._start < len(self._all) else frozenset()

    def rebound(self) -> frozenset[str]:
        """Return the names that are assigned on some way from here back to here."""
        forward = self._reached({self._start}, self._next)
        back: list[set[int]] = [set() for _ in self._all]
        for index, following in enumerate(self._next):
            for one in following:
                back[one].add(index)
        cycle = forward & self._reached({self._here}, back) if self._here in forward else set()
        return frozenset().union(*(self._assigned(index) for index in cycle))

    def targets(self) -> frozenset[str]:
        """Return the names that a `for` at this point assigns: `i` and `step` of `for i, step in enumerate(...)`."""
        if self._here < 0 or self._all[self._here].opname != "FOR_ITER":
            return frozenset()
        following = self._all[self._start :]
        stores = takewhile(lambda one: one.opname.startswith(("STORE_FAST", "STORE_NAME", "UNPACK_")), following)
        found = range(self._start, self._start + sum(1 for _ in stores))
        return frozenset().union(*(self._assigned(index) for index in found))

    def _reached(self, start: set[int], edges: list[set[int]]) -> set[int]:
        seen, queue = set(), [one for one in start if 0 <= one < len(self._all)]
        while queue:
            one = queue.pop()
            if one not in seen:
                seen.add(one)
                queue += edges[one]
        return seen

    def _after(self, index: int) -> Iterator[int]:
        one = self._all[index]
        if one.opname in _ENDS:
            return
        if one.opcode in _JUMPING and one.argval in self._at:
            yield self._at[one.argval]
        if one.opname not in _JUMPS and index + 1 < len(self._all):
            yield index + 1

    def _add_excepts(self, code: CodeType) -> None:
        """Add the ways into `except` blocks of the loop's body; a `with` passes an exception on, and so is none."""
        for entry in dis.Bytecode(code).exception_entries:  # type: ignore[attr-defined]
            target = self._at.get(entry.target)
            if target is None or entry.start <= self._offset < entry.end or self._is_with(target):
                continue
            for index, one in enumerate(self._all):
                if entry.start <= one.offset < entry.end:
                    self._next[index].add(target)

    def _is_with(self, target: int) -> bool:
        return any(one.opname == "WITH_EXCEPT_START" for one in self._all[target : target + 3])

    def _names(self, index: int) -> tuple[frozenset[str], frozenset[str]]:
        """Return the names that an instruction reads, and those that it assigns without having read them."""
        one = self._all[index]
        parts = one.opname.replace("LOAD_FAST_BORROW", "LOAD_FAST").replace("_CHECK", "")
        names = one.argval if isinstance(one.argval, tuple) else (one.argval,)
        match parts:
            case "LOAD_FAST" | "LOAD_NAME" | "LOAD_GLOBAL" | "LOAD_DEREF" | "LOAD_CLASSDEREF" | "LOAD_FAST_LOAD_FAST":
                return frozenset(map(str, names)), frozenset()
            case "STORE_FAST_LOAD_FAST":
                return frozenset({names[1]} - {names[0]}), frozenset({names[0]})
        return frozenset(), self._assigned(index) - self._cleared

    def _assigned(self, index: int) -> frozenset[str]:
        one = self._all[index]
        if one.opname == "STORE_FAST_LOAD_FAST":
            return frozenset({one.argval[0]})
        if one.opname.startswith(("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF", "DELETE_FAST")):
            names = one.argval if isinstance(one.argval, tuple) else (one.argval,)
            return frozenset(map(str, names))
        return frozenset()
