"""A fresh run has its source of one instant; a dirty tree that no record holds is refused, or said."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.errors import RefusedError
from samerun.record.left_out import FILE_LIMIT
from samerun.record.reader import RunRecord
from samerun.run.run import Run

Train = Callable[..., RunRecord]
Start = Callable[..., Run]
REFUSING = {"refuses_dirty": True}
TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"


@pytest.fixture
def project(tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project of the fixture `train`, as a repository of one commit."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    root = tmp_path / "project"
    (root / "notes.txt").write_text("x\n")
    git(root, "init", "-q", "-b", "trunk")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    return root


def git(root: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
    subprocess.run(command, cwd=root, check=True, capture_output=True)


def make_incomplete(root: Path) -> None:
    with (root / "notes.txt").open("wb") as file:
        file.truncate(FILE_LIMIT + 1)


def test_a_dirty_tree_that_the_record_holds_is_started_from(project: Path, train: Train) -> None:
    (project / "notes.txt").write_text("changed\n")
    document = train(1, options=REFUSING).document("source.json")
    assert document["is_complete"] and document["git"]["is_dirty"]
    assert document["git"]["changed"] == [" M notes.txt"]


def test_one_that_it_does_not_hold_is_refused_before_anything_is_written(
    project: Path, train: Train, tmp_path: Path
) -> None:
    make_incomplete(project)
    with pytest.raises(RefusedError, match="SR-SOURCE-001") as caught:
        train(1, options=REFUSING)
    assert caught.value.evidence == ("notes.txt: larger than 4.0 MiB",)
    assert int(caught.value.exit_code) == 3 and not (tmp_path / "runs").exists()


def test_nobody_is_told_to_commit_a_secret(project: Path, train: Train) -> None:
    (project / "notes.txt").write_text("api_key = 'hf_abcdefghijklmnopqrstuvwxyz01234567'\n")
    with pytest.raises(RefusedError, match="SR-SOURCE-001") as caught:
        train(1, options=REFUSING)
    assert "secret" in caught.value.evidence[0] and caught.value.do.startswith("take the secret out and commit")


def test_where_it_is_allowed_the_record_says_that_it_is_not_complete(
    project: Path, train: Train, capsys: pytest.CaptureFixture[str]
) -> None:
    make_incomplete(project)
    document = train(1, options={"is_quiet": False}).document("source.json")
    assert not document["is_complete"] and document["incomplete"] == ["notes.txt: larger than 4.0 MiB"]
    assert "the record cannot give this source back: notes.txt: larger than 4.0 MiB\n" in capsys.readouterr().err


def test_a_run_that_goes_on_is_not_asked_again(project: Path, train: Train) -> None:
    train(2, options={"stop_after": 1})
    make_incomplete(project)
    assert train(2, options=REFUSING).manifest.step == 2


def test_without_git_nothing_is_refused(train: Train, start: Start, tmp_path: Path) -> None:
    (tmp_path / "project/pyproject.toml").write_text('[tool.samerun]\ninclude = ["large"]\n')
    with (tmp_path / "project/large").open("wb") as file:
        file.truncate(FILE_LIMIT + 1)
    assert not train(1, options=REFUSING).document("source.json")["is_complete"]


def test_a_large_file_that_is_not_stored_is_said_once(
    project: Path, train: Train, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, size in (("a.bin", 20 << 20), ("b.bin", 1 << 31), ("small.txt", 5)):
        with (project / name).open("wb") as file:
            file.truncate(size)
    train(1, options={"is_quiet": False})
    line = "named and not stored: b.bin (2.0 GiB) and 1 more: untracked, and neither imported nor named by a rule"
    assert f"samerun: {line}" in capsys.readouterr().err


@pytest.mark.parametrize("changes", [1, 99])
def test_what_is_written_while_it_is_recorded_is_read_again(
    project: Path, train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: int
) -> None:
    """A git that edits the script whenever it lists files stands for an editor that saves at that moment."""
    script, count = project / "train.py", tmp_path / "count"
    count.write_text(str(changes))
    edit = f'n=$(cat {count}); if [ $n -gt 0 ]; then echo $((n-1)) > {count}; echo "# $n" >> {script}; fi'
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text(f'#!/bin/sh\ncase "$*" in *ls-files*) {edit};; esac\nexec {real} "$@"\n')
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    document = train(1).document("source.json")
    assert document["is_complete"] == (changes == 1)
    if changes == 1:
        from samerun.base.digest import sha256

        assert document["files"]["user/train.py"]["content"] == sha256(script.read_bytes())
    else:
        assert "train.py: it kept changing while it was recorded" in document["incomplete"]


def test_what_is_edited_during_a_run_is_named_at_its_end(
    project: Path, train: Train, capsys: pytest.CaptureFixture[str]
) -> None:
    def edit(run: Run, step: object) -> None:
        (project / "train.py").write_text((project / "train.py").read_text() + "# edited\n")

    record = train(2, body=edit, options={"is_quiet": False})
    document = record.document("source.json")
    assert [row["path"] for row in document["changed_meanwhile"]] == ["user/train.py"]
    assert [row["files"] for row in record.events() if row["event"] == "source_changed"] == [["train.py"]]
    assert "edited since the run began: train.py; the record holds what it began with" in capsys.readouterr().err
