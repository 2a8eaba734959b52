"""The lab of the promise tests: one idle process for all tests of a file."""

from collections.abc import Iterator

import pytest
from promise_lab import OTHER_WORLD, Lab, lab


@pytest.fixture(scope="module")
def here() -> Iterator[Lab]:
    """Processes in this world."""
    with lab() as opened:
        yield opened


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Lab]:
    """Processes with another hash seed, time zone and language."""
    with lab(OTHER_WORLD) as opened:
        yield opened
