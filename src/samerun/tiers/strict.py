"""torch's strict deterministic mode, without what torch's own switch drags in.

`torch.use_deterministic_algorithms` imports torch's compiler (measured: 1 s and 72 MB) only to set one flag of it. The
debug-mode interface sets the same mode; the compiler's flag is set where it is loaded, else left to its variable.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

Strictness = Literal[0, 1, 2]
OFF: Strictness = 0
WARN: Strictness = 1
ERROR: Strictness = 2
INDUCTOR_VARIABLE = "TORCHINDUCTOR_DETERMINISTIC"


def strictness() -> Strictness:
    """Return what torch does with an operation that has no deterministic kernel: OFF, WARN or ERROR."""
    import torch

    return torch.get_deterministic_debug_mode()  # type: ignore[return-value]


def set_strictness(value: Strictness) -> None:
    """Set it for the whole process. The compiler chooses kernels without timing them unless it is OFF."""
    import torch

    torch.set_deterministic_debug_mode(value)
    compiler: Any = sys.modules.get("torch._inductor.config")
    if compiler is not None:
        compiler.deterministic = value != OFF
    elif value != OFF:
        os.environ[INDUCTOR_VARIABLE] = "1"
    else:
        os.environ.pop(INDUCTOR_VARIABLE, None)


@contextmanager
def strictly(value: Strictness) -> Iterator[None]:
    """Set it for a block, for kernels only, and put it back."""
    import torch

    before = strictness()
    torch.set_deterministic_debug_mode(value)
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(before)
