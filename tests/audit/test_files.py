"""Which files are read, and which are left out and named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from samerun.audit.files import find_files
from samerun.errors import NoMatchError


def plant(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x = 1")
    return root


def names(root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in find_files([root]).files]


def reasons(root: Path) -> dict[str, str]:
    return {Path(one.path).relative_to(root).as_posix(): one.reason for one in find_files([root]).skipped}


def test_sources_and_notebooks_come_sorted(tmp_path: Path) -> None:
    plant(tmp_path, "b.py", "a/c.py", "a.ipynb", "text.md", "data.json")
    assert names(tmp_path) == ["a.ipynb", "a/c.py", "b.py"]


def test_other_peoples_and_made_code_is_left_out_and_named(tmp_path: Path) -> None:
    plant(tmp_path, "a.py", ".git/x.py", "site-packages/x.py", "build/x.py", "__pycache__/x.py", "env/x.py")
    plant(tmp_path, "env/pyvenv.cfg", "pkg/build/__init__.py")
    assert names(tmp_path) == ["a.py", "pkg/build/__init__.py"]
    assert reasons(tmp_path) == {
        ".git": "hidden",
        "build": "made by a build",
        "env": "a virtual environment",
        "site-packages": "installed packages",
    }


def test_a_folder_that_is_named_is_read_whatever_it_is(tmp_path: Path) -> None:
    plant(tmp_path, "site-packages/x.py")
    assert names(tmp_path / "site-packages") == ["x.py"]


def test_a_file_that_is_named_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    plant(tmp_path, "train")
    assert find_files([tmp_path / "train"]).files == [tmp_path / "train"]


def test_a_circle_of_links_ends(tmp_path: Path) -> None:
    plant(tmp_path, "a/x.py")
    (tmp_path / "a/again").symlink_to(tmp_path)
    assert names(tmp_path) == ["a/x.py"]
    assert reasons(tmp_path) == {"a/again": "a link to a folder"}


def test_a_file_that_is_reached_twice_is_read_once(tmp_path: Path) -> None:
    plant(tmp_path, "a/x.py")
    (tmp_path / "z.py").symlink_to(tmp_path / "a/x.py")
    assert len(find_files([tmp_path, tmp_path / "a", tmp_path / "a/x.py"]).files) == 1


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    plant(tmp_path, "a.py")
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    assert names(tmp_path) == ["a.py"]
    assert list(reasons(tmp_path)) == ["gone.py", "pipe.py"]


def test_a_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoMatchError, match="SR-AUDIT-001"):
        find_files([tmp_path / "nowhere"])


def test_nothing_to_read_is_no_clean_answer(tmp_path: Path) -> None:
    plant(tmp_path, ".venv/x.py")
    with pytest.raises(NoMatchError, match="SR-AUDIT-002") as refusal:
        find_files([tmp_path])
    assert any("hidden" in line for line in refusal.value.evidence)


def test_a_pipe_that_is_named_is_left_out_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(NoMatchError, match="SR-AUDIT-002") as refusal:
        find_files([tmp_path / "pipe.py"])
    assert refusal.value.evidence == (f"{(tmp_path / 'pipe.py').as_posix()}: it is no plain file",)
