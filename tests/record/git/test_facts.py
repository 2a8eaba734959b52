"""What is asked about a project: facts, submodules with their dirt, and the patch of all of it together."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from samerun.record.git.ask import Git
from samerun.record.git.facts import head_of, survey

Run = Callable[..., str]


def add_submodule(root: Path, place: Path, git: Run, name: str = "inner") -> Path:
    place.mkdir()
    git(place, "init", "-q")
    (place / "m.py").write_text("m = 1\n")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "inner")
    git(root, "submodule", "add", "-q", str(place), name)
    git(root, "commit", "-q", "-a", "-m", "a submodule")
    return root / name


def test_the_facts_are_plain(repository: Path, git: Run) -> None:
    (repository / "same.py").write_text("x = 4\n")
    facts = survey(repository).facts.as_json()
    assert facts == {
        "branch": "trunk",
        "changed": [" M same.py"],
        "commit": git(repository, "rev-parse", "HEAD"),
        "filters": [],
        "is_dirty": True,
        "is_shallow": False,
        "num_changed": 1,
        "prefix": "",
        "reason": None,
        "remote": None,
        "states": [],
        "submodules": [],
    }
    assert head_of(repository, Git.until()) == facts["commit"]


def test_a_project_in_a_folder_of_a_repository_knows_its_place(repository: Path) -> None:
    (repository / "a/b").mkdir(parents=True)
    found = survey(repository / "a/b")
    assert found.facts.prefix == "a/b" and found.top == repository and found.facts.commit is not None


def test_without_a_repository_every_fact_is_unknown_with_a_reason(tmp_path: Path) -> None:
    found = survey(tmp_path)
    assert (found.facts.commit, found.facts.reason, found.patch.data) == (None, "not a git repository", b"")
    assert head_of(tmp_path, Git.until()) is None


def test_the_head_is_asked_for_within_the_deadline_of_the_capture(repository: Path) -> None:
    assert head_of(repository, Git.until(-1.0)) is None


def test_runs_are_no_change_of_their_project(repository: Path) -> None:
    (repository / "runs/a").mkdir(parents=True)
    (repository / "runs/a/manifest.json").write_text("{}")
    assert survey(repository).facts.is_dirty
    assert not survey(repository, repository / "runs").facts.is_dirty


def test_a_submodule_is_told_with_both_commits_and_its_dirt(repository: Path, tmp_path: Path, git: Run) -> None:
    inner = add_submodule(repository, tmp_path / "inner", git)
    recorded = git(inner, "rev-parse", "HEAD")
    (one,) = survey(repository).facts.submodules
    assert (one.path, one.recorded, one.commit, one.changed, one.reason) == ("inner", recorded, recorded, (), None)
    (inner / "m.py").write_text("m = 2\n")
    git(inner, "commit", "-q", "-a", "-m", "further")
    (inner / "m.py").write_text("m = 3\n")
    found = survey(repository)
    (one,) = found.facts.submodules
    assert (one.recorded, one.commit) == (recorded, git(inner, "rev-parse", "HEAD"))
    assert set(found.marks) == {inner / "m.py"}
    assert one.changed == (" M m.py",) and found.facts.changed == (" M inner",) and found.facts.is_dirty
    assert b"a/inner/m.py" in found.patch.data and b"Subproject" not in found.patch.data


def test_one_patch_gives_back_the_work_tree_and_its_submodules(repository: Path, tmp_path: Path, git: Run) -> None:
    inner = add_submodule(repository, tmp_path / "inner", git)
    (inner / "m.py").write_text("m = 3\n")
    (repository / "same.py").write_text("x = 9\n")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--recurse-submodules", str(repository), str(clone))
    subprocess.run(["git", "apply"], cwd=clone, input=survey(repository).patch.data, check=True)
    for name in ("same.py", "inner/m.py"):
        assert (clone / name).read_bytes() == (repository / name).read_bytes()


def test_a_submodule_that_is_not_checked_out_is_told(repository: Path, tmp_path: Path, git: Run) -> None:
    add_submodule(repository, tmp_path / "inner", git)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repository), str(clone))
    (one,) = survey(clone).facts.submodules
    assert one.commit is None and one.reason == "it is not checked out" and one.recorded is not None


def test_a_project_inside_of_a_submodule_is_that_of_the_submodule(repository: Path, tmp_path: Path, git: Run) -> None:
    inner = add_submodule(repository, tmp_path / "inner", git)
    (repository / "same.py").write_text("x = 9\n")
    found = survey(inner)
    assert found.top == inner and found.facts.commit == git(inner, "rev-parse", "HEAD") and not found.facts.is_dirty


def test_a_change_that_git_was_told_to_overlook_is_named(repository: Path, git: Run) -> None:
    git(repository, "update-index", "--assume-unchanged", "same.py", "staged.py")
    assert survey(repository).patch.left_out == ()
    (repository / "same.py").write_text("x = 9\n")
    found = survey(repository)
    assert [(row.path, row.counts) for row in found.patch.left_out] == [("same.py", True)]
    assert not found.facts.is_dirty


def test_a_damaged_index_is_a_reason_beside_the_commit(repository: Path, git: Run) -> None:
    head = git(repository, "rev-parse", "HEAD")
    (repository / ".git/index").write_bytes(b"DIRCgarbage")
    facts = survey(repository).facts
    assert (facts.commit, facts.reason, facts.changed) == (head, "its index is damaged", ())


def test_a_copy_of_a_repository_is_told_alike(repository: Path, tmp_path: Path) -> None:
    (repository / "same.py").write_text("x = 9\n")
    shutil.copytree(repository, tmp_path / "copy")
    assert survey(tmp_path / "copy").facts == survey(repository).facts
    assert survey(tmp_path / "copy").patch.data == survey(repository).patch.data


def test_a_secret_in_the_name_of_a_folder_is_not_told(repository: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    (repository / token).mkdir()
    told = survey(repository / token).facts.as_json()
    assert told["prefix"] == "[redacted]"
