"""One index: what it says is read without its tensors; a link, a missing file or a strange folder is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samerun.checkpoint.format import INDEX
from samerun.checkpoint.index import read_index
from samerun.checkpoint.write import write_checkpoint
from samerun.errors import DamageError, NoMatchError
from samerun.state.tree import pack


@pytest.fixture
def written(tmp_path: Path) -> Path:
    write_checkpoint(tmp_path, 12, {"model": pack({"weight": np.arange(3.0)})}, identity="one")
    return tmp_path / "step-00000012"


def test_it_says_step_identity_digests_and_size(written: Path) -> None:
    info = read_index(written)
    assert (info.step, info.identity, set(info.digests)) == (12, "one", {"model"})
    assert set(info.leaf_digests["model"]) == {"weight"} and info.nbytes > 24


def test_what_is_no_checkpoint_folder_is_refused(written: Path, tmp_path: Path) -> None:
    with pytest.raises(NoMatchError, match="SR-CHECKPOINT-020"):
        read_index(tmp_path / "step-00000013")
    (tmp_path / "step-00000014").symlink_to(written)
    with pytest.raises(DamageError, match="link"):
        read_index(tmp_path / "step-00000014")
    written.rename(tmp_path / "elsewhere")
    with pytest.raises(DamageError, match="step-"):
        read_index(tmp_path / "elsewhere")


def test_an_index_that_is_missing_or_of_another_step_is_damage(written: Path, tmp_path: Path) -> None:
    written.rename(tmp_path / "step-00000013")
    with pytest.raises(DamageError):
        read_index(tmp_path / "step-00000013")
    (tmp_path / "step-00000013" / INDEX).unlink()
    with pytest.raises(DamageError, match="missing"):
        read_index(tmp_path / "step-00000013")
