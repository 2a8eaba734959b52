"""One instant of a project: what is recorded beside the modules, and whether all of it can be given back."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samerun.record import left_out
from samerun.record.capture import Capture, capture
from samerun.record.source import gather

Git = Callable[..., str]
TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"


@pytest.fixture
def root(repository: Path, git: Git) -> Path:
    """A clean repository whose `train.py` imports `net.py`."""
    (repository / "train.py").write_text("import net\n")
    (repository / "net.py").write_text("width = 3\n")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "more")
    return repository


def taken(root: Path, skip: Path | None = None) -> Capture:
    return capture(gather(root, [root / "train.py"]), skip)


def facts(root: Path) -> dict[str, Any]:
    return taken(root).facts()


def test_a_clean_tree_is_complete_and_stores_what_is_imported(root: Path) -> None:
    found = taken(root)
    assert (found.incomplete, found.left_out, found.patched.rows, found.is_dirty) == ((), (), {}, False)
    names = {name: row["why"] for name, row in found.stored.rows.items() if not name.startswith("own/")}
    assert names == {"user/net.py": "imported", "user/train.py": "entry"}


def test_each_row_says_why_it_is_there(root: Path, git: Git) -> None:
    (root / "pyproject.toml").write_text('[tool.samerun]\ninclude = ["conf/*"]\n')
    (root / "conf").mkdir()
    (root / "conf/a.yaml").write_text("a: 1\n")
    (root / ".gitignore").write_text("hidden.py\n")
    (root / "hidden.py").write_text("y = 1\n")
    (root / "net.py").write_text("import hidden, fresh\n")
    (root / "fresh.py").write_text("z = 1\n")
    (root / "same.py").write_text("x = 9\n")
    found = taken(root)
    rows = {**found.stored.rows, **found.patched.rows}
    assert {name: row["why"] for name, row in rows.items() if not name.startswith("own/")} == {
        "changed/same.py": "changed",
        "rule/conf/a.yaml": "rule",
        "user/fresh.py": "imported",
        "user/hidden.py": "imported",
        "user/net.py": "imported",
        "user/train.py": "entry",
    }
    assert {row["why"] for name, row in rows.items() if name.startswith("own/")} == {"own"}
    assert found.incomplete == ()
    assert [row.path for row in found.left_out] == [".gitignore", "pyproject.toml"]
    assert found.facts()["rules"] == {"include": ["conf/*"], "exclude": []}


def test_rules_and_dirt_move_no_fact(root: Path) -> None:
    before = gather(root, [root / "train.py"]).facts()
    (root / "pyproject.toml").write_text('[tool.samerun]\ninclude = ["*.md"]\n')
    (root / "a.md").write_text("words\n")
    (root / "same.py").write_text("x = 9\n")
    assert taken(root).source.facts() == before


def test_without_git_every_module_that_is_imported_is_there(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import net\n")
    (tmp_path / "net.py").write_text("width = 3\n")
    found = taken(tmp_path)
    assert found.incomplete == () and not found.is_dirty
    assert {"user/net.py", "user/train.py"} <= found.stored.contents.keys()
    assert found.facts()["git"]["reason"] == "not a git repository"


def test_a_large_untracked_file_is_named_and_counts_only_where_a_rule_names_it(root: Path) -> None:
    with (root / "data.bin").open("wb") as file:
        file.truncate(2 << 30)
    (row,) = facts(root)["left_out"]
    assert row == {
        "path": "data.bin",
        "size_bytes": 2 << 30,
        "digest": None,
        "counts": False,
        "reason": f"untracked, and neither imported nor named by a rule; {left_out.NOT_DIGESTED}",
    }
    (root / "pyproject.toml").write_text('[tool.samerun]\ninclude = ["data.bin"]\n')
    found = facts(root)
    assert not found["is_complete"] and found["incomplete"][0].startswith("data.bin: named by a rule: larger than")


def test_a_tracked_file_that_no_patch_holds_is_incomplete_until_a_rule_excludes_it(root: Path) -> None:
    with (root / "same.py").open("wb") as file:
        file.truncate(left_out.FILE_LIMIT + 1)
    assert taken(root).incomplete == (f"same.py: {left_out.TOO_LARGE}",)
    (root / "pyproject.toml").write_text('[tool.samerun]\nexclude = ["same.py"]\n')
    assert taken(root).incomplete == ()


def test_a_secret_is_not_digested_either_where_its_file_does_not_count(root: Path) -> None:
    (root / "same.py").write_text(f"login({TOKEN!r})\n" + "x = 1\n" * left_out.SEARCH_LIMIT)
    (root / "pyproject.toml").write_text('[tool.samerun]\nexclude = ["same.py"]\n')
    found = taken(root)
    assert [(row.counts, row.digest) for row in found.left_out if row.path == "same.py"] == [(False, None)]
    assert found.is_redacted


def test_a_module_with_a_secret_is_complete_only_as_committed(root: Path, git: Git) -> None:
    (root / "net.py").write_text(f"login({TOKEN!r})\n")
    found = taken(root)
    assert any("a secret that stood in it was not stored" in text for text in found.incomplete)
    git(root, "commit", "-q", "-a", "-m", "a secret")
    assert taken(root).incomplete == ()
    (root / "same.py").write_text("x = 9\n")
    assert taken(root).incomplete == ()


def test_a_module_that_only_the_snapshot_holds_does_not_count_as_missing(root: Path, git: Git) -> None:
    with (root / "same.py").open("w") as file:
        file.write("x = 1  # " + "y" * left_out.FILE_LIMIT)
    (root / "train.py").write_text("import net, same\n")
    found = taken(root)
    assert found.incomplete == ()
    assert [(row.path, row.counts) for row in found.left_out] == [("same.py", False)]


def test_a_git_that_knows_nothing_is_a_reason(root: Path) -> None:
    (root / ".git/index").write_bytes(b"DIRCgarbage")
    found = taken(root)
    assert found.incomplete == ("git: its index is damaged; what else differs from the commit is unknown",)
    assert not found.is_dirty


def test_what_is_written_meanwhile_is_named(root: Path, git: Git) -> None:
    source = gather(root, [root / "train.py"])
    (root / "net.py").write_text("width = 4\n")
    found = capture(source)
    assert found.moved == ("net.py",)
    assert found.unsettled().incomplete == ("net.py: it kept changing while it was recorded",)
    assert capture(source.again()).moved == ()


def test_a_file_that_keeps_changing_is_found(root: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            (root / "same.py").write_text(f"x = {number}\n")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert any("same.py" in taken(root).moved for _ in range(20))
    finally:
        stop.set()
        writer.join()


@pytest.fixture
def hook_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return `hook_git(cases)`: a git that does more for some commands; $GIT in `cases` is the real one."""

    def hook_git(cases: str) -> None:
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin/git").write_text(
            f'#!/bin/sh\nGIT={shutil.which("git")}\ncase "$*" in {cases} esac\nexec $GIT "$@"\n'
        )
        (tmp_path / "bin/git").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")

    return hook_git


def test_another_commit_meanwhile_is_found(root: Path, hook_git: Callable[[str], None]) -> None:
    commit = "$GIT -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m meanwhile"
    hook_git(f"*ls-files*) {commit};;")
    assert taken(root).moved == ("HEAD",)


def test_a_file_that_is_written_after_git_has_read_it_is_found(root: Path, hook_git: Callable[[str], None]) -> None:
    (root / "same.py").write_text("x = 9\n")
    assert taken(root).moved == ()
    hook_git(f"*diff-index*) $GIT \"$@\"; echo 'x = 10' > '{root / 'same.py'}'; exit 0;;")
    found = taken(root)
    assert b"+x = 9" in found.survey.patch.data and found.moved == ("same.py",)


def test_a_git_that_no_longer_answers_has_not_moved(root: Path, hook_git: Callable[[str], None]) -> None:
    hook_git('*"rev-parse --verify"*) exit 3;;')
    assert taken(root).moved == ()


def test_no_place_of_this_machine_is_in_what_is_written(root: Path, tmp_path: Path, git: Git) -> None:
    (root / "link.py").symlink_to(root / "same.py")
    (root / "train.py").write_text("import net, link\n")
    (root / "notes").write_text("x")
    git(root, "config", "remote.origin.url", str(tmp_path / "elsewhere"))
    found = taken(root)
    text = json.dumps([found.facts(), found.stored.rows, found.patched.rows])
    assert str(tmp_path) not in text


def test_a_token_in_the_name_of_a_file_that_is_left_out_is_not_told(root: Path, git: Git) -> None:
    token = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"
    (root / token).mkdir()
    (root / token / "a.txt").write_text("1\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "more")
    (root / token / "a.txt").write_text(f"{token}\n")
    found = taken(root)
    assert [row.path for row in found.left_out] == [f"{token}/a.txt"]
    assert token not in json.dumps(found.facts()) and any("[redacted]/a.txt" in one for one in found.incomplete)


def test_the_folder_of_runs_is_no_part_of_the_project(root: Path) -> None:
    (root / "out/runs/a").mkdir(parents=True)
    (root / "out/runs/a/metrics.jsonl").write_text("{}")
    assert taken(root, root / "out/runs").left_out == ()
    assert taken(root).left_out != ()


def test_equal_trees_are_captured_alike(root: Path) -> None:
    (root / "same.py").write_text("x = 9\n")
    (root / "notes").write_text("x")
    one, other = taken(root), taken(root)
    assert one.facts() == other.facts() and one.survey.patch.data == other.survey.patch.data
    assert one.patched.rows == other.patched.rows and one.stored == other.stored
