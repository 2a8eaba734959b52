"""A repository that a run imports from is named by commit and dirt, and by no place of this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from samerun.record.git.ask import Git as Asked
from samerun.record.neighbours import neighbours
from samerun.record.source import SourceFile

Git = Callable[..., str]


def file(path: Path) -> SourceFile:
    return SourceFile("user", f"elsewhere/{path.name}", "python", "sha256:1", "sha256:2", 1, path)


def test_commit_and_dirt_of_another_repository_are_told(repository: Path, tmp_path: Path, git: Git) -> None:
    (tmp_path / "loose.py").write_text("")
    (repository / "same.py").write_text("x = 9\n")
    files = [file(repository / "same.py"), file(repository / "staged.py"), file(tmp_path / "loose.py")]
    (found,) = neighbours(files, tmp_path / "here", Asked.until())
    row = found.as_json()
    assert row["files"] == ["elsewhere/same.py", "elsewhere/staged.py"]
    assert (row["commit"], row["is_dirty"], row["changed"]) == (
        git(repository, "rev-parse", "HEAD"),
        True,
        [" M same.py"],
    )
    assert str(tmp_path) not in json.dumps(row)


def test_the_repository_of_the_project_is_none_of_its_neighbours(repository: Path) -> None:
    assert neighbours([file(repository / "same.py")], repository, Asked.until()) == ()


def test_one_that_cannot_be_asked_has_a_reason(repository: Path) -> None:
    (repository / ".git/HEAD").write_bytes(b"garbage")
    (found,) = neighbours([file(repository / "same.py")], None, Asked.until())
    assert found.facts.reason is not None and found.facts.commit is None


def test_a_secret_in_the_name_of_a_branch_or_a_file_is_not_told(repository: Path, git: Git) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    git(repository, "checkout", "-q", "-b", f"try-{token}")
    (repository / f"{token}.txt").write_text("x\n")
    (found,) = neighbours([file(repository / "same.py")], None, Asked.until())
    assert token not in json.dumps(found.as_json()) and "[redacted]" in found.as_json()["branch"]
