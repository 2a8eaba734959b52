"""Files that stand in the patch alone have rows: path, digest, mode and status, deleted ones and links too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from samerun.base.digest import sha256
from samerun.record.git.facts import survey
from samerun.record.patched import DELETED, patched_files

Git = Callable[..., str]


def test_each_changed_file_has_a_row_with_the_digest_that_git_would_give_back(repository: Path, git: Git) -> None:
    (repository / "same.py").write_text("x = 9\n")
    (repository / "deleted.py").unlink()
    (repository / "link").symlink_to("same.py")
    (repository / "unstaged.py").chmod(0o755)
    (repository / "staged.py").write_text("x = 3\n")
    git(repository, "add", "link")
    asked = survey(repository)
    found = patched_files(repository, asked.patch.changes, {repository / "staged.py"}, asked.marks)
    assert {name: (row["content"], row["mode"], row["status"]) for name, row in found.rows.items()} == {
        "changed/deleted.py": (DELETED, "000000", " D"),
        "changed/link": (sha256(b"same.py"), "120000", "A "),
        "changed/same.py": (sha256(b"x = 9\n"), "100644", " M"),
        "changed/unstaged.py": (sha256(b"x = 1\n"), "100755", " M"),
    }
    assert found.moved() == []
    (repository / "same.py").write_text("x = 10\n")
    assert found.moved() == ["link", "same.py"]


def test_without_a_repository_there_are_none() -> None:
    assert patched_files(None, (), set(), {}).rows == {}
