"""Where a call into a generator's library came from: the first frame that is neither that library's nor ours.

Calls by samerun and by the standard library have no site: nobody can act on them. Nor have those that a third-party
package makes while it is imported.
"""

from __future__ import annotations

import sys
import sysconfig
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Literal

# Frames of what is drawn from, between the call and the generator.
_LIBRARIES = frozenset({"random", "numpy", "torch"})
_STANDARD = tuple({str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "platstdlib")})
_INSTALLED = ("site-packages", "dist-packages")
_IMPORTING = "importlib._bootstrap"

Owner = Literal["project", "package", "standard", "generated", "own"]


@dataclass(frozen=True)
class Site:
    """One call site. `through` is the line of the user's project that led to one inside a package."""

    file: str
    line: int
    function: str
    is_project: bool
    through: str | None = None

    def __str__(self) -> str:
        led = f", called from {self.through}" if self.through else ""
        return f"{self.file}:{self.line} in {self.function}{led}"


def calling_module() -> str:
    """Return the top package of the code that called the function that asks."""
    return str(sys._getframe(2).f_globals.get("__name__", "")).partition(".")[0]


def find_site(root: Path) -> Site | None:
    """Return where the call under way came from; files below `root` are shown relative to it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_passed_over(frame):
        frame = frame.f_back
    if frame is None:
        return None
    owner = _owner(frame.f_code.co_filename, _top(frame))
    if owner == "project":
        return _site(frame, root, is_project=True)
    if owner != "package":
        return None
    outer = frame.f_back
    while outer is not None and _owner(outer.f_code.co_filename, _top(outer)) != "project":
        if _IMPORTING in outer.f_code.co_filename:
            return None
        outer = outer.f_back
    through = None if outer is None else str(_site(outer, root, is_project=True))
    return _site(frame, root, is_project=False, through=through)


def is_own_doing() -> bool:
    """Whether what is under way is samerun's wish, also one through the standard library (a pool, a timer)."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (_is_passed_over(frame) or _is_standard(frame)):
        frame = frame.f_back
    return frame is not None and _top(frame) == "samerun"


def _is_standard(frame: FrameType) -> bool:
    return _owner(frame.f_code.co_filename, _top(frame)) == "standard"


def _is_passed_over(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__", ""))
    if name.startswith("samerun.streams.guard"):
        return True
    return name.partition(".")[0] in _LIBRARIES or _owner(frame.f_code.co_filename, "") == "generated"


def _top(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


@lru_cache(maxsize=4096)
def _owner(file: str, top: str) -> Owner:
    if top == "samerun":
        return "own"
    if file.startswith("<"):
        # Cells and prompts are the user's; what dataclasses and namedtuples generate is nobody's.
        return "project" if file.startswith(("<stdin", "<ipython")) else "generated"
    if any(f"/{folder}/" in file for folder in _INSTALLED):
        return "package"
    return "standard" if str(Path(file).resolve()).startswith(_STANDARD) else "project"


def _site(frame: FrameType, root: Path, *, is_project: bool, through: str | None = None) -> Site:
    code = frame.f_code
    return Site(_shown(code.co_filename, root), frame.f_lineno, code.co_qualname, is_project, through)


@lru_cache(maxsize=1024)
def _shown(file: str, root: Path) -> str:
    """Return a file's path below `root`, below the folder of packages, or its name alone."""
    for folder in _INSTALLED:
        if f"/{folder}/" in file:
            return file.rpartition(f"/{folder}/")[2]
    path = Path(file)
    if file.startswith("<") or not path.resolve().is_relative_to(root):
        return path.name
    return path.resolve().relative_to(root).as_posix()
