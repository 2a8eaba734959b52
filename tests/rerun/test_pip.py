"""pip as a child: what it prints, how it fails, and which one can lock."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from samerun.errors import MissingError
from samerun.rerun import pip
from samerun.rerun.pip import check_pip_locks, run_pip


def test_what_it_prints_is_returned() -> None:
    assert run_pip(["--version"]).startswith(f"pip {version('pip')}")
    assert run_pip(["--version"], interpreter=Path(sys.executable)).startswith("pip ")


def test_its_last_words_are_the_evidence_of_a_failure() -> None:
    with pytest.raises(MissingError, match="SR-EXPORT-004") as failure:
        run_pip(["download", "--no-index", "--no-deps", "no-such-package==1.0"])
    assert "no-such-package" in "".join(failure.value.evidence)


def test_a_pip_that_is_too_old_is_named_with_the_one_that_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    check_pip_locks()
    monkeypatch.setattr(pip, "LOCKS_SINCE", "999.0")
    with pytest.raises(MissingError, match="SR-EXPORT-003") as refusal:
        check_pip_locks()
    assert refusal.value.evidence == (f"pip here: {version('pip')}", "wanted: 999.0 or newer")
