"""git is asked within a deadline, without a repository's own programs, and no answer is an answer with a reason."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.record.git.ask import Git as Asked
from samerun.record.git.facts import survey
from samerun.record.git.patch import patch_of
from samerun.record.git.tree import status_of, work_tree

Git = Callable[..., str]


def fake_git(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "git").chmod(0o755)


def test_nothing_that_the_repository_configures_is_run(repository: Path, tmp_path: Path, git: Git) -> None:
    canary = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {canary}\ncat\n")
    script.chmod(0o755)
    (repository / ".gitattributes").write_text("*.py diff=planted filter=planted\n")
    keys = ("core.fsmonitor", "diff.external", "diff.planted.command", "diff.planted.textconv", "core.pager")
    for key in (*keys, "filter.planted.clean", "filter.planted.smudge", "filter.other.process", "core.sshCommand"):
        git(repository, "config", key, str(script))
    git(repository, "config", "filter.planted.required", "true")
    hooks = repository / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        (hooks / name).write_bytes(script.read_bytes())
        (hooks / name).chmod(0o755)
    (repository / "unstaged.py").write_text("x = 3\n")
    os.utime(repository / "same.py")
    tree, _ = work_tree(repository, Asked.until())
    assert tree is not None and tree.git.filters == ("other", "planted")
    assert b"x = 3" in patch_of(tree, status_of(tree)).data
    assert survey(repository).facts.is_dirty
    assert not canary.exists()
    git(repository, "diff", "HEAD", check=False)
    assert canary.exists()


def test_a_submodule_runs_nothing_of_its_own_either(repository: Path, tmp_path: Path, git: Git) -> None:
    canary, script = tmp_path / "ran", tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {canary}\ncat\n")
    script.chmod(0o755)
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "m.py").write_text("m = 1\n")
    git(inner, "add", ".")
    git(inner, "commit", "-q", "-m", "inner")
    git(repository, "submodule", "add", "-q", str(inner), "inner")
    place = repository / "inner"
    (place / ".gitattributes").write_text("*.py filter=planted\n")
    git(place, "config", "filter.planted.clean", str(script))
    git(place, "config", "core.fsmonitor", str(script))
    (place / "m.py").write_text("m = 2\n")
    assert b"m = 2" in survey(repository).patch.data
    assert not canary.exists()


def test_variables_of_a_git_hook_do_not_lead_elsewhere(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert survey(repository).facts.branch == "trunk"


def test_a_git_that_hangs_is_ended_with_what_it_started(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(tmp_path / "bin", f"sleep 60 &\necho $! > {tmp_path / 'child'}\nsleep 60")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    began = time.monotonic()
    found = survey(repository, deadline=Asked.until(1.0))
    assert found.facts.reason == "git took too long" and time.monotonic() - began < 20
    state = Path(f"/proc/{(tmp_path / 'child').read_text().strip()}/stat")
    while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() - began < 20


def test_a_git_that_is_absent_or_broken_is_told(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(tmp_path / "bin", "exit 3")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert survey(repository).facts.reason == "git rev-parse failed with 3"
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert survey(repository).facts.reason == "git is not installed"


def test_a_repository_of_another_user_is_refused_by_git_and_that_is_told(repository: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    for path in (repository, repository / ".git"):
        os.chown(path, 65534, 65534)
    assert "safe.directory" in str(survey(repository).facts.reason)
