"""Where a project is, and where its runs go."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.errors import ConfigError
from samerun.record.project import project_root, runs_folder


def test_the_nearest_marked_folder_is_the_root(tmp_path: Path) -> None:
    inner = tmp_path / "project" / "recipes"
    inner.mkdir(parents=True)
    (tmp_path / "project" / "pyproject.toml").touch()
    assert project_root(inner) == tmp_path / "project"
    assert project_root(inner / "digits.yaml") == tmp_path / "project"


def test_without_a_mark_the_folder_itself_is_the_root(tmp_path: Path) -> None:
    assert project_root(tmp_path / "train.py") == tmp_path


def test_runs_go_where_the_option_then_pyproject_then_nobody_says(tmp_path: Path) -> None:
    assert runs_folder(None, tmp_path) == Path("runs")
    (tmp_path / "pyproject.toml").write_text("[project]\nname='x'\n")
    assert runs_folder(None, tmp_path) == Path("runs")
    (tmp_path / "pyproject.toml").write_text("[tool.samerun]\nruns = 'out/runs'\n")
    assert runs_folder(None, tmp_path) == tmp_path / "out/runs"
    assert runs_folder(Path("here"), tmp_path) == Path("here")


@pytest.mark.parametrize("text", ["[tool.samerun]\nruns = 3\n", "[tool.samerun\n", "[tool.samerun]\nruns = ''\n"])
def test_a_table_that_cannot_be_understood_is_one_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(ConfigError, match="SR-PROJECT-001"):
        runs_folder(None, tmp_path)
