"""A recipe is recorded without the paths of the machine that it was written for, and says so."""

from __future__ import annotations

from pathlib import Path

from samerun.base.digest import sha256
from samerun.config.layers import resolve
from samerun.trainers.recorded import recorded

RECIPE = "trainer: supervised\nsteps: 2\ntask: {kind: images, path: PLACE}  # see PLACE\nmodel: {kind: mlp}\n"


def test_a_path_of_this_machine_is_a_mark_and_kept_apart(tmp_path: Path) -> None:
    place = str(tmp_path / "pictures")
    config = resolve(RECIPE.replace("PLACE", place).encode(), [f"init.from={tmp_path}/weights.safetensors"])
    found = recorded(config)
    assert place.encode() not in found.submitted and found.submitted.count(b"[local path]") == 2
    assert str(tmp_path) not in repr(found.config)
    assert found.config.submitted_digest == sha256(found.submitted) != sha256(config.submitted)
    assert found.local["values"] == [[["init", "from"], f"{tmp_path}/weights.safetensors"], [["task", "path"], place]]
    assert "without the paths" in found.config.notes[-1]


def test_a_recipe_without_one_is_recorded_to_the_byte() -> None:
    config = resolve(RECIPE.replace("PLACE", "pictures").encode())
    found = recorded(config)
    assert found.submitted == config.submitted and found.local == {} and found.config.notes == ()
    assert found.config.values == config.plain
