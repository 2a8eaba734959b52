"""What children see of the world."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from samerun.rerun.surroundings import CACHES, SURROUNDINGS, Surroundings, variables_of


def test_no_two_surroundings_agree_in_anything() -> None:
    for name in SURROUNDINGS[0].variables:
        assert len({surroundings.variables[name] for surroundings in SURROUNDINGS}) == len(SURROUNDINGS)


def test_relative_import_paths_are_made_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["lib", "/abs"]))
    found = variables_of(SURROUNDINGS[1])
    assert found["PYTHONPATH"] == os.pathsep.join([os.path.abspath("lib"), "/abs"])
    assert (found["PYTHONHASHSEED"], found["HOME"]) == ("2", os.environ["HOME"])


def test_elsewhere_home_folders_path_and_unknown_variables_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/a:/b")
    monkeypatch.setenv("OMP_SCHEDULE", "static")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    found = variables_of(SURROUNDINGS[2], tmp_path / "x")
    assert found["HOME"] == str(tmp_path / "x/home") and found["TMPDIR"] == str(tmp_path / "x/tmp")
    assert Path(found["HOME"]).is_dir() and Path(found["TMPDIR"]).is_dir()
    assert found["PATH"] == "/b:/a" and found["PYTHONPATH"] == str(tmp_path / "x/unrelated")
    assert found["UNRELATED_TO_THIRD"] == "third"
    assert found["OMP_SCHEDULE"] == "static", "what chooses kernels is a fact of the platform"


def test_downloads_are_found_from_another_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HOME", raising=False)
    monkeypatch.setenv("TORCH_HOME", "/kept")
    found = variables_of(SURROUNDINGS[1], tmp_path)
    assert found["HF_HOME"] == str(Path.home() / CACHES["HF_HOME"])
    assert found["TORCH_HOME"] == "/kept"


def test_the_variables_that_choose_kernels_may_be_those_of_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_SCHEDULE", "static")
    monkeypatch.setenv("MKL_CBWR", "AVX2")
    found = variables_of(SURROUNDINGS[0].with_kernels({"MKL_CBWR": "SSE4_1"}))
    assert found["MKL_CBWR"] == "SSE4_1" and "OMP_SCHEDULE" not in found


def test_import_paths_of_this_process_can_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/mine")
    bare = Surroundings("bare", {}, frozenset({"PYTHONPATH"}))
    assert variables_of(bare, imports=(tmp_path,))["PYTHONPATH"] == str(tmp_path)
    assert "PYTHONPATH" not in variables_of(bare)
