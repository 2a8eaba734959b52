"""What is proved and where the answer goes. The proofs themselves run as processes in tests/cli."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from samerun.base.files import on_operation
from samerun.base.lock import RunLock, owner_facts
from samerun.errors import ConfigError, LockedError, NoMatchError
from samerun.rerun.verify import verify


def test_the_answer_about_a_run_is_kept_with_it(record: Any) -> None:
    made = record()
    found = verify(made.folder)
    kept = json.loads((made.folder / "verification.json").read_bytes())
    assert kept["verdict"] == found.verdict
    assert kept["subject"] == "tiny-0123abcd"


def test_the_answer_says_when_and_of_which_record_it_is(record: Any) -> None:
    made = record()
    verify(made.folder)
    kept = json.loads((made.folder / "verification.json").read_bytes())
    assert kept["date"].endswith("Z") and kept["steps"] == 0
    assert (kept["run"]["identity"], kept["run"]["step"]) == (made.manifest.identity, 6)


def test_a_live_run_is_refused(record: Any) -> None:
    made = record()
    lock = RunLock(made.folder / ".lock")
    lock.acquire(owner_facts())
    try:
        with pytest.raises(LockedError, match="SR-VERIFY-005"):
            verify(made.folder, files=True)
    finally:
        lock.release()
    assert verify(made.folder, files=True).verdict == "same"


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(NoMatchError):
        verify("nobody")
    with pytest.raises(ConfigError, match="SR-CONFIG-002"):
        verify("gone.yaml", repeat=True)


def test_code_that_was_stored_without_its_secret_is_not_run(record: Any, tmp_path: Path) -> None:
    made = record(files={"train.py": "import samerun\nTOKEN = 'hf_abcdefghijklmnopqrstuvwxyz01234567'\n"})
    (tmp_path / "project/train.py").write_text("raise SystemExit('it ran')\n")
    for trust in (False, True):
        found = verify(made.folder, repeat=True, resume=True, trust=trust)
        assert found.verdict == "cannot_say"
        assert [check.name for check in found.checks] == ["repeat", "resume"]
        assert all("a secret that stood in it was not stored" in check.detail for check in found.checks)
    assert json.loads((made.folder / "verification.json").read_bytes())["verdict"] == "cannot_say"


def test_an_answer_is_given_where_the_run_may_not_be_written(record: Any) -> None:
    made, said = record(), list[str]()

    def refuse(operation: str, path: Path) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    on_operation(refuse)
    try:
        found = verify(made.folder, say=said.append)
    finally:
        on_operation(None)
    assert found.verdict == "same" and not (made.folder / "verification.json").exists()
    assert "verification.json cannot be written" in said[-1] and "Read-only" in said[-1]
