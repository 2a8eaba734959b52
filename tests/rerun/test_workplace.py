"""The folder of a proof is hidden, absolute, and gone at the end, also after an error."""

from __future__ import annotations

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
