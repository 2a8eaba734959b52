"""The facts of a recipe or a run."""

from __future__ import annotations

from typing import Any

import pytest

from samerun.errors import ConfigError, NoMatchError, UsageError
from samerun.rerun.identity import identity


def test_a_recipes_identity_is_a_function_of_its_settings() -> None:
    a, b = identity("digits"), identity("digits")
    assert a == b and a.id is not None
    assert identity("digits", ["model.dropout=0.2"]).id != a.id


def test_a_runs_identity_is_what_was_written(record: Any) -> None:
    made = record()
    found = identity(made.folder)
    assert (found.id, found.is_complete) == (made.identity.id, True)
    assert found.experiment == {"seed": "7"}


def test_what_has_no_identity_is_refused() -> None:
    with pytest.raises(UsageError, match="SR-IDENTITY-001"):
        identity("train.py")
    with pytest.raises(ConfigError):
        identity("gone.yaml")
    with pytest.raises(NoMatchError):
        identity("nobody")
