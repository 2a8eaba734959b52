"""`codes(text)`: the codes that an audit finds in a text, in order; `names(text)`: the names of one."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.audit.names import Names
from samerun.audit.scan import scan_text

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def codes() -> Callable[[str], list[str]]:
    return lambda text: [finding.code for finding in scan_text(text, "planted.py").findings]


@pytest.fixture
def names() -> Callable[[str], Names]:
    return lambda text: Names(ast.parse(text))
