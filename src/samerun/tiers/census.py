"""List ALL operations of one step that have no deterministic kernel, where strict mode would stop at the first.

The step is thrown away: whoever calls this puts weights, optimizer and generators back. The list is of this step; an
operation that only a later one reaches still raises there.
"""

from __future__ import annotations

import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.tiers.strict import ERROR, OFF, strictly
from samerun.tiers.substitutes import substitute

_ALERT = re.compile(r"does not have a deterministic implementation|not deterministic because it uses CuBLAS")
_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')
_OWN = str(Path(__file__).parent)


@dataclass(frozen=True)
class Finding:
    """One operation without a deterministic kernel, once for each place that calls it."""

    op: str
    """Its name as `exact_except` takes it, such as aten::cumsum."""
    where: str
    """`file:line` of the user's call (for a backward operation: of the forward call it belongs to)."""
    message: str
    """What torch says."""
    substitute: str | None
    """What to use instead, None when nothing is known."""

    def line(self) -> str:
        """Return the finding as one line of evidence."""
        instead = f"; instead: {self.substitute}" if self.substitute else ""
        return f"{self.op} at {self.where}{instead}"


def census(run_one_step: Callable[[], None]) -> list[Finding]:
    """Run one throw-away step and list its operations without a deterministic kernel, in order, without repetition.

    Torch's flags are as before afterwards, also when the step raises (its exception passes through). Operations that
    `exact_except` already allows do not appear.
    """
    found: dict[tuple[str, str], Finding] = {}
    with strictly(ERROR), _watching(found):
        run_one_step()
    return list(found.values())


@contextmanager
def _watching(found: dict[tuple[str, str], Finding]) -> Iterator[None]:
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            try:
                return func(*args, **(kwargs or {}))
            except RuntimeError as error:
                if not _ALERT.search(str(error)):
                    raise
                finding = _finding(func._name, str(error))
                found.setdefault((finding.op, finding.where), finding)
            # The alert is an operation's first act, so nothing was changed yet: it can be called again. Warn-only mode
            # would not do: its warnings reach Python only when the outermost call returns, and name no operation.
            with strictly(OFF):
                return func(*args, **(kwargs or {}))

    # Anomaly mode notes where each forward call was made, which is how a backward operation gets its line.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.set_detect_anomaly(True, check_nan=False), Watch():  # type: ignore[no-untyped-call]
            yield


def _finding(name: str, text: str) -> Finding:
    op = name.partition(".")[0]
    return Finding(op, _forward_place() or _place(traceback.format_stack()), text.partition(". ")[0], substitute(op))


def _forward_place() -> str | None:
    import torch

    node: Any = torch._C._current_autograd_node()
    lines = node.metadata.get("traceback_") if node is not None else None
    return _place(lines) if lines else None


def _place(lines: list[str]) -> str:
    """Return `file:line` of the innermost frame that is neither torch's nor of this folder."""
    frames = [match for line in lines if (match := _FRAME.search(line))]
    for frame in reversed(frames):
        if not frame["file"].startswith((_torch_folder(), _OWN, "<")):
            return f"{_short(frame['file'])}:{frame['line']}"
    return "unknown"


def _torch_folder() -> str:
    return str(Path(sys.modules["torch"].__file__ or "").parent)


def _short(file: str) -> str:
    # A record names no home folder: relative to the working folder, else the last two parts.
    path = Path(file)
    if path.is_relative_to(Path.cwd()):
        return path.relative_to(Path.cwd()).as_posix()
    return "/".join(path.parts[-2:])
