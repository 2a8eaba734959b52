"""What git says of a project: every kind of uncommitted change, no secret, and no code of the repository run."""

import subprocess
from pathlib import Path

import pytest

from samerun.record.git import git_facts, git_patch


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "trunk")
    for name in ("staged.py", "unstaged.py", "deleted.py", "same.py"):
        (root / name).write_text("x = 1\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    return root


def test_a_clean_tree_is_its_commit(repository: Path) -> None:
    facts = git_facts(repository)
    assert facts.commit == git(repository, "rev-parse", "HEAD")
    assert (facts.branch, facts.remote, facts.reason, facts.is_dirty) == ("trunk", None, None, False)


def test_every_kind_of_uncommitted_change_is_listed(repository: Path) -> None:
    (repository / "staged.py").write_text("x = 2\n")
    git(repository, "add", "staged.py")
    (repository / "unstaged.py").write_text("x = 3\n")
    (repository / "deleted.py").unlink()
    (repository / "untracked é.py").write_text("")
    facts = git_facts(repository)
    assert set(facts.changed) == {"M  staged.py", " D deleted.py", " M unstaged.py", "?? untracked é.py"}
    assert facts.is_dirty


def test_the_patch_holds_what_differs_and_can_be_applied(repository: Path) -> None:
    (repository / "staged.py").write_text("x = 2\n")
    git(repository, "add", "staged.py")
    (repository / "unstaged.py").write_text("x = 3\n")
    patch = git_patch(repository, [repository / "staged.py", repository / "unstaged.py", repository / "same.py"])
    assert b"x = 2" in patch and b"x = 3" in patch and b"same.py" not in patch
    git(repository, "checkout", "-q", "-f", "HEAD")
    subprocess.run(["git", "apply"], cwd=repository, input=patch, check=True)
    assert (repository / "staged.py").read_text() == "x = 2\n"


def test_the_patch_holds_only_the_files_asked_for(repository: Path) -> None:
    (repository / "staged.py").write_text("secret\n")
    assert git_patch(repository, [repository / "same.py"]) == b""
    assert git_patch(repository, []) == b""


def test_the_remote_is_told_without_user_and_password(repository: Path) -> None:
    cases = {
        "https://me:canary@example.org/a/b.git": "https://example.org/a/b.git",
        "https://canary-0123456789abcdef@example.org/a.git": "https://example.org/a.git",
        "git@example.org:a/b.git": "example.org:a/b.git",
        "/home/canary/repo.git": "[local path]",
        "file:///home/canary/repo.git": "[local path]",
        "../canary": "[local path]",
    }
    git(repository, "remote", "add", "origin", "x")
    for url, told in cases.items():
        git(repository, "config", "remote.origin.url", url)
        assert git_facts(repository).remote == told


def test_without_git_every_fact_is_unknown_with_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = git_facts(tmp_path)
    assert (facts.commit, facts.changed, facts.reason) == (None, (), "not a git repository")
    assert git_patch(tmp_path, [tmp_path / "x.py"]) == b""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_facts(tmp_path).reason == "git is not installed"


def test_a_repository_without_a_commit_is_no_error(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    (tmp_path / "x.py").write_text("")
    facts = git_facts(tmp_path)
    assert (facts.commit, facts.branch, facts.changed) == (None, "trunk", ("?? x.py",))
    assert git_patch(tmp_path, [tmp_path / "x.py"]) == b""


def test_a_detached_head_has_no_branch(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    facts = git_facts(repository)
    assert facts.branch is None and facts.commit is not None


def test_nothing_that_the_repository_configures_is_run(repository: Path, tmp_path: Path) -> None:
    canary = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {canary}\n")
    script.chmod(0o755)
    (repository / ".gitattributes").write_text("*.py diff=planted\n")
    for key in ("core.fsmonitor", "diff.external", "diff.planted.command", "diff.planted.textconv", "core.pager"):
        git(repository, "config", key, str(script))
    (repository / "unstaged.py").write_text("x = 3\n")
    assert git_facts(repository).is_dirty
    assert b"x = 3" in git_patch(repository, [repository / "unstaged.py"])
    assert not canary.exists()


def test_variables_of_a_git_hook_do_not_lead_elsewhere(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert git_facts(repository).branch == "trunk"


def test_a_name_with_wildcards_is_one_file(repository: Path) -> None:
    (repository / "unstaged.py").write_text("x = 3\n")
    assert git_patch(repository, [repository / "*.py"]) == b""
