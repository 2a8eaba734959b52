"""Forking a process that runs one function and ends: how the nursery makes leaders, and leaders make workers."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable


def fork(child: Callable[[], None]) -> int:
    """Fork; the child runs the function and ends. Returns the child's pid to the parent."""
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # Python 3.12 warns of threads in a process that forks; the only ones could be a BLAS's, which provides for it.
        warnings.simplefilter("ignore")
        pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        child()
        code = 0
    finally:
        os._exit(code)
