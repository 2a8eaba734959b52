"""The package's source, read once, for every rule."""

from __future__ import annotations

import pytest

import codebase
from codebase import Module


@pytest.fixture(scope="session")
def modules() -> list[Module]:
    return codebase.read_modules("src")
