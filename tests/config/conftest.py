"""A practice project with parts of its own, and a short way to resolve a text against it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from samerun.config.layers import Config, resolve
from samerun.errors import ConfigError

PROJECT = Path(__file__).resolve().parent / "project"
HEAD = "trainer: practice.parts:TRAINER\nsteps: 10\nmodel: {kind: practice.parts:MLP}\n"


@pytest.fixture
def project() -> Iterator[Path]:
    """The root of the practice project; what was imported from it is forgotten afterwards."""
    yield PROJECT
    for name in [name for name in sys.modules if name.partition(".")[0] == "practice"]:
        del sys.modules[name]


@pytest.fixture
def resolved(project: Path) -> Callable[..., Config]:
    """Resolve YAML lines under a head that names the practice trainer, with `-s` values."""

    def resolve_lines(text: str = "", *sets: str, head: str = HEAD) -> Config:
        return resolve((head + text).encode(), sets, project=project)

    return resolve_lines


@pytest.fixture
def refused(resolved: Callable[..., Config]) -> Callable[..., ConfigError]:
    """Resolve the same way and return the error that must come."""

    def refuse(text: str = "", *sets: str, head: str = HEAD) -> ConfigError:
        with pytest.raises(ConfigError) as caught:
            resolved(text, *sets, head=head)
        return caught.value

    return refuse
