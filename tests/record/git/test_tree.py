"""A work tree is found, its state told, and every kind of uncommitted change listed; what is damaged has a reason."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.record.git.ask import DAMAGED, NO_REPOSITORY
from samerun.record.git.ask import Git as Asked
from samerun.record.git.tree import Change, TreeStatus, WorkTree, index_of, status_of, work_tree

Git = Callable[..., str]


def tree_of(folder: Path) -> WorkTree:
    tree, reason = work_tree(folder, Asked.until())
    assert tree is not None, reason
    return tree


def lines_of(folder: Path) -> list[str]:
    return list(status_of(tree_of(folder)).lines)


def test_a_clean_tree_is_its_commit(repository: Path, git: Git) -> None:
    tree = tree_of(repository)
    assert tree.head() == git(repository, "rev-parse", "HEAD")
    assert status_of(tree) == TreeStatus(tree.head(), "trunk")
    assert (tree.states(), tree.is_shallow, tree.remote) == ((), False, None)


def test_every_kind_of_uncommitted_change_is_listed(repository: Path, git: Git) -> None:
    (repository / "staged.py").write_text("x = 2\n")
    git(repository, "add", "staged.py")
    (repository / "unstaged.py").write_text("x = 3\n")
    (repository / "deleted.py").unlink()
    (repository / "untracked é.py").write_text("")
    (repository / os.fsdecode(b"caf\xe9.py")).write_text("")
    (repository / "same.py").chmod(0o755)
    (repository / "new.py").write_text("")
    git(repository, "add", "-N", "new.py")
    assert set(lines_of(repository)) == {
        "M  staged.py",
        " D deleted.py",
        " M unstaged.py",
        " M same.py",
        " A new.py",
        "?? untracked é.py",
        '?? "caf\\351.py"',
    }


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://me:canary@example.org/a/b.git", "https://example.org/a/b.git"),
        ("https://canary-0123456789abcdef@example.org/a.git", "https://example.org/a.git"),
        ("git@example.org:a/b.git", "example.org:a/b.git"),
        ("/home/canary/repo.git", "[local path]"),
        ("file:///home/canary/repo.git", "[local path]"),
        ("../canary", "[local path]"),
    ],
)
def test_the_remote_is_told_without_user_and_password(repository: Path, git: Git, url: str, told: str) -> None:
    git(repository, "config", "remote.origin.url", url)
    assert tree_of(repository).remote == told


def conflict(root: Path, git: Git) -> None:
    git(root, "checkout", "-q", "-b", "other")
    (root / "same.py").write_text("x = 'other'\n")
    git(root, "commit", "-q", "-a", "-m", "other")
    git(root, "checkout", "-q", "trunk")
    (root / "same.py").write_text("x = 'trunk'\n")
    git(root, "commit", "-q", "-a", "-m", "trunk")


@pytest.mark.parametrize(
    ("command", "state"),
    [("merge", "merge"), ("rebase", "rebase"), ("cherry-pick", "cherry-pick")],
)
def test_what_is_under_way_is_told(repository: Path, git: Git, command: str, state: str) -> None:
    conflict(repository, git)
    git(repository, command, "other", check=False)
    tree = tree_of(repository)
    assert tree.states() == (state,)
    (change,) = status_of(tree).changes
    assert change.status in ("UU", "AA") and change.path == b"same.py" and change.blob is not None


def test_a_detached_head_has_no_branch(repository: Path, git: Git) -> None:
    git(repository, "checkout", "-q", "--detach")
    assert status_of(tree_of(repository)) == TreeStatus(git(repository, "rev-parse", "HEAD"), None)


def test_a_shallow_clone_says_so(repository: Path, tmp_path: Path, git: Git) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "second")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "shallow")
    assert tree_of(tmp_path / "shallow").is_shallow and not tree_of(repository).is_shallow


def test_a_worktree_has_a_head_and_a_state_of_its_own(repository: Path, tmp_path: Path, git: Git) -> None:
    git(repository, "worktree", "add", "-q", "-b", "aside", str(tmp_path / "aside"))
    tree = tree_of(tmp_path / "aside")
    assert (status_of(tree).branch, tree.top) == ("aside", tmp_path / "aside")
    conflict(repository, git)
    git(repository, "merge", "other", check=False)
    assert tree_of(repository).states() == ("merge",) and tree.states() == ()


def test_a_repository_without_a_commit_has_changes(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "x.py").write_text("")
    (tmp_path / "y.py").write_text("")
    git(tmp_path, "add", "y.py")
    status = status_of(tree_of(tmp_path))
    assert (status.commit, status.branch) == (None, "trunk")
    assert set(lines_of(tmp_path)) == {"?? x.py", "A  y.py"}


def test_no_repository_is_a_reason(tmp_path: Path) -> None:
    assert work_tree(tmp_path, Asked.until()) == (None, NO_REPOSITORY)


def test_a_bare_repository_has_no_work_tree(repository: Path, git: Git) -> None:
    git(repository, "config", "core.bare", "true")
    assert work_tree(repository, Asked.until())[0] is None


def test_a_damaged_head_is_told_and_no_repository_further_up_is_taken_for_it(
    repository: Path, tmp_path: Path, git: Git
) -> None:
    (repository / ".git/HEAD").write_bytes(b"\x00garbage")
    assert work_tree(repository, Asked.until()) == (None, DAMAGED)
    git(tmp_path, "init", "-q")
    assert work_tree(repository, Asked.until()) == (None, DAMAGED)


def test_a_damaged_index_leaves_the_commit_known(repository: Path, git: Git) -> None:
    head = git(repository, "rev-parse", "HEAD")
    (repository / ".git/index").write_bytes(b"DIRCgarbage")
    tree = tree_of(repository)
    assert status_of(tree) == TreeStatus(head, "trunk", (), "its index is damaged")


def test_a_work_tree_that_leads_elsewhere_is_not_followed(repository: Path, tmp_path: Path, git: Git) -> None:
    (tmp_path / "victim").mkdir()
    git(repository, "config", "core.worktree", str(tmp_path / "victim"))
    tree, reason = work_tree(repository, Asked.until())
    assert tree is None and "core.worktree" in str(reason)


def test_the_index_names_submodules_and_what_git_does_not_watch(repository: Path, tmp_path: Path, git: Git) -> None:
    shutil.copytree(repository, tmp_path / "inner")
    git(repository, "submodule", "add", "-q", str(tmp_path / "inner"), "inner")
    git(repository, "update-index", "--assume-unchanged", "same.py")
    index = index_of(tree_of(repository))
    assert (index.submodules, index.unwatched) == ((b"inner",), (b"same.py",))
    assert b"staged.py" in index.paths


def test_a_change_knows_whether_it_is_a_file() -> None:
    assert Change(b"sub", " M", ("160000", "160000")).is_submodule
    assert not Change(b"x", "??").is_tracked
