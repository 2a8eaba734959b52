"""Promise 6: no file is ever unpickled, and names and paths inside a checkpoint are data."""

import json
import os
import pickle
import shutil
from pathlib import Path

import pytest
from promise_lab import Lab, only_run

from samerun.base.sealed import seal
from samerun.checkpoint.read import read_checkpoint
from samerun.errors import DamageError


class Bomb:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return (os.system, (f"touch {self.mark}",))


@pytest.fixture(scope="module")
def run(here: Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("runs")
    assert here.run("plain", runs, steps=3) == 0
    return only_run(runs)


@pytest.fixture
def checkpoint(run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run / "checkpoints" / "step-00000003", tmp_path / "step-00000003"))


@pytest.mark.parametrize("name", ["model.safetensors", "state.json", "checkpoint.json"])
def test_a_pickle_in_disguise_is_damage_and_does_not_run(checkpoint: Path, tmp_path: Path, name: str) -> None:
    (checkpoint / name).write_bytes(pickle.dumps(Bomb(tmp_path / "boom")))
    with pytest.raises(DamageError) as caught:
        read_checkpoint(checkpoint)
    assert not (tmp_path / "boom").exists() and name in str(caught.value)


@pytest.mark.parametrize("path", ["../model.safetensors", "/etc/passwd", "a/../../x"])
def test_a_path_in_an_index_is_refused(checkpoint: Path, path: str) -> None:
    index = json.loads((checkpoint / "checkpoint.json").read_bytes())
    del index["digest"]
    index["files"][path] = index["files"].pop("model.safetensors")
    (checkpoint / "checkpoint.json").write_bytes(seal(index))
    with pytest.raises(DamageError):
        read_checkpoint(checkpoint)


def test_a_link_in_place_of_a_file_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    (checkpoint / "model.safetensors").rename(tmp_path / "elsewhere")
    (checkpoint / "model.safetensors").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DamageError):
        read_checkpoint(checkpoint)
