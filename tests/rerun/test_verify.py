"""What is proved and where the answer goes. The proofs themselves run as processes in tests/cli."""

from __future__ import annotations

import json
from typing import Any

import pytest

from samerun.errors import ConfigError, NoMatchError
from samerun.rerun.verify import verify


def test_the_answer_about_a_run_is_kept_with_it(record: Any) -> None:
    made = record()
    found = verify(made.folder)
    kept = json.loads((made.folder / "verification.json").read_bytes())
    assert kept["verdict"] == found.verdict
    assert kept["subject"] == "tiny-0123abcd"


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(NoMatchError):
        verify("nobody")
    with pytest.raises(ConfigError, match="SR-CONFIG-002"):
        verify("gone.yaml", repeat=True)
