"""The folder of a proof is hidden, absolute, and gone at the end, also after an error."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from samerun.base.files import is_rubble
from samerun.rerun.workplace import workplace


def test_it_is_hidden_beside_the_runs_and_gone_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with workplace(Path("runs"), "proof") as folder:
        assert folder.is_absolute() and folder.parent == tmp_path / "runs" and is_rubble(folder.name)
        (folder / "file").touch()
    assert list((tmp_path / "runs").iterdir()) == []


def test_it_is_gone_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="planted"), workplace(tmp_path, "proof"):
        raise ValueError("planted")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_it_is_gone_after_a_signal_that_ends_the_process(tmp_path: Path, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), workplace(tmp_path, "proof"):
        os.kill(os.getpid(), number)
    assert list(tmp_path.iterdir()) == [] and signal.getsignal(number) is before


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with workplace(tmp_path, "proof"):
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
