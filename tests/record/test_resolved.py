"""The resolved config and the submitted bytes: what was written is what is read, or it is damage."""

from dataclasses import replace
from pathlib import Path

import pytest

from samerun.base.digest import sha256
from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import DamageError
from samerun.record import layout
from samerun.record.resolved import ResolvedConfig, read_config, read_submitted, write_config

SUBMITTED = b"steps: 600 # many\r\n"
CONFIG = ResolvedConfig(
    values={"steps": 600, "model": {"hidden": [64, 64]}},
    origins={"steps": {"layer": "recipe", "where": "digits.yaml:1"}},
    asides={"steps": "resume -s steps= trains on"},
    identity_digest="sha256:" + "0" * 64,
    submitted_name="recipe.submitted.yaml",
    submitted_digest=sha256(SUBMITTED),
    notes=("model reset",),
)
LOOP = replace(CONFIG, submitted_name=None, submitted_digest=None)


def test_a_config_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_config(tmp_path, CONFIG, SUBMITTED)
    assert read_config(tmp_path) == CONFIG
    assert read_submitted(tmp_path, CONFIG) == SUBMITTED


def test_the_config_of_a_loop_has_no_submitted_file(tmp_path: Path) -> None:
    write_config(tmp_path, LOOP, None)
    assert read_submitted(tmp_path, read_config(tmp_path)) is None
    assert [path.name for path in tmp_path.iterdir()] == [layout.CONFIG]


def test_changed_submitted_bytes_are_damage(tmp_path: Path) -> None:
    write_config(tmp_path, CONFIG, SUBMITTED)
    path = tmp_path / "recipe.submitted.yaml"
    path.write_bytes(SUBMITTED.replace(b"\r", b""))
    with pytest.raises(DamageError, match="SR-RECORD-023"):
        read_submitted(tmp_path, CONFIG)
    path.unlink()
    with pytest.raises(DamageError, match="SR-RECORD-022"):
        read_submitted(tmp_path, CONFIG)


@pytest.mark.parametrize(
    "change",
    [
        {"values": []},
        {"origins": None},
        {"colour": 1},
        {"submitted_name": "../../etc/passwd"},
        {"submitted_name": "recipe.submitted.yaml/../x"},
        {"submitted_name": 3},
        {"notes": None},
        {"schema": "samerun.marks"},
    ],
)
def test_a_document_of_another_shape_is_damage(tmp_path: Path, change: dict[str, object]) -> None:
    write_config(tmp_path, CONFIG, SUBMITTED)
    path = tmp_path / layout.CONFIG
    write_sealed(path, {**read_sealed(path), **change})
    with pytest.raises(DamageError, match="SR-RECORD-021"):
        read_config(tmp_path)


def test_a_missing_config_is_damage(tmp_path: Path) -> None:
    with pytest.raises(DamageError, match="SR-RECORD-022"):
        read_config(tmp_path)
