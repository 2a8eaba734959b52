"""The fault driver (faults.py) for the tests of writing, retention and chunks."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DRIVER = Path(__file__).with_name("faults.py")


@pytest.fixture
def faults(tmp_path: Path) -> Callable[[str, str], list[dict[str, Any]]]:
    """Run a piece of work with a fault at every single operation; one row for each."""

    def run(work: str, fault: str) -> list[dict[str, Any]]:
        command = [sys.executable, str(DRIVER), work, str(tmp_path), fault]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run
