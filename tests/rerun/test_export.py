"""`samerun.export`: what follows from the record, what the index must be asked for, and what is refused."""

from __future__ import annotations

import platform
import tomllib
from pathlib import Path
from typing import Any

import pytest

from samerun.base.sealed import write_sealed
from samerun.errors import MissingError, RefusedError
from samerun.record import layout
from samerun.rerun.export import KINDS, checked_lock, export

EDITABLE = {"kind": "editable", "url": "[local path]"}
HERE = platform.python_version()


@pytest.fixture
def made(record: Any) -> Any:
    """A run of three distributions, one of them an editable install."""

    def make(version: str = HERE, click: str = "8.5.1") -> Path:
        folder: Path = record().folder
        distributions = {
            "click": {"version": click, "origin": None},
            "mine": {"version": "0.1", "origin": EDITABLE},
            "xxhash": {"version": "4.1.0", "origin": None},
        }
        python = {"implementation": "CPython", "version": version}
        document = {"schema": "samerun.environment", "format": 1, "python": python, "distributions": distributions}
        write_sealed(folder / layout.ENVIRONMENT, document)
        return folder

    return make


def test_constraints_follow_from_the_record_alone(made: Any, tmp_path: Path) -> None:
    folder = made()
    found = export(folder, to="constraints", output=tmp_path / "deep/constraints.txt", offline=True)
    lines = (tmp_path / "deep/constraints.txt").read_text().splitlines()
    assert lines[0].startswith("# distributions of run tiny-0123abcd (identity ") and lines[1] == "click==8.5.1"
    assert lines[2].startswith("# not pinned: mine 0.1: an editable install")
    assert (found.num_distributions, [pin.name for pin in found.left_out]) == (2, ["mine"])
    assert export(folder, to="constraints").text == found.text


def test_a_dry_run_writes_nothing_and_asks_nobody(made: Any, tmp_path: Path) -> None:
    folder = made()
    for kind in KINDS:
        found = export(folder, to=kind, output=tmp_path / "out", dry_run=True)
        assert found.path is None and (found.size_bytes is None) is (kind == "pylock")
    assert not (tmp_path / "out").exists()


def test_a_lock_file_is_refused_without_an_index(made: Any) -> None:
    with pytest.raises(RefusedError, match="SR-EXPORT-002"):
        export(made(), to="pylock", offline=True)


def test_a_lock_file_for_another_python_is_refused_with_both_versions(made: Any) -> None:
    with pytest.raises(MissingError, match="SR-EXPORT-005") as refusal:
        export(made("3.99.1"), to="pylock")
    assert "3.99.1" in refusal.value.what and HERE in refusal.value.what


@pytest.mark.parametrize("text", ["", "lock-version = '9.0'", "not toml", "lock-version = '1.0'\ncreated-by = 'x'"])
def test_what_is_no_lock_file_is_refused(text: str) -> None:
    with pytest.raises(MissingError, match="SR-EXPORT-006"):
        checked_lock(text)


@pytest.mark.slow
def test_the_index_says_where_each_file_is_and_the_lock_is_valid(made: Any, tmp_path: Path) -> None:
    from packaging.pylock import Pylock

    export(made(), to="pylock", output=tmp_path / "pylock.toml")
    lock = Pylock.from_dict(tomllib.loads((tmp_path / "pylock.toml").read_text()))
    lock.validate()
    assert {one.name: str(one.version) for one in lock.packages} == {"click": "8.5.1", "xxhash": "4.1.0"}
    assert all(wheel.hashes["sha256"] for one in lock.packages for wheel in one.wheels or ())


@pytest.mark.slow
def test_a_version_that_the_index_does_not_have_is_named(made: Any) -> None:
    with pytest.raises(MissingError, match="SR-EXPORT-004") as failure:
        export(made(click="999.0.1"), to="pylock")
    assert "click==999.0.1" in "\n".join(failure.value.evidence)
