"""The patch is the whole difference of the work tree, gives back every byte, and names what it leaves out."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.record import left_out
from samerun.record.git.ask import Git as Asked
from samerun.record.git.patch import Patch, patch_of
from samerun.record.git.tree import status_of, work_tree

Git = Callable[..., str]
TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"


def patch(root: Path) -> Patch:
    tree, reason = work_tree(root, Asked.until())
    assert tree is not None, reason
    return patch_of(tree, status_of(tree))


def contents(root: Path) -> dict[bytes, tuple[str, bytes]]:
    """Every file of a work tree: its kind and mode, and its bytes or where it leads."""
    found = {}
    for folder, folders, names in os.walk(os.fsencode(root)):
        folders[:] = [name for name in folders if name != b".git"]
        for name in names:
            path = os.path.join(folder, name)
            label = os.path.relpath(path, os.fsencode(root))
            if os.path.islink(path):
                found[label] = ("link", os.readlink(path))
            elif name != b".git":
                mode = "x" if os.stat(path).st_mode & 0o100 else "-"
                found[label] = (mode, Path(os.fsdecode(path)).read_bytes())
    return found


def test_every_kind_of_change_comes_back_by_clone_and_apply(repository: Path, tmp_path: Path, git: Git) -> None:
    root = repository
    (root / "bits.bin").write_bytes(bytes(range(256)) * 20)
    (root / "gone.bin").write_bytes(bytes(range(256)) * 9)
    (root / "link").symlink_to("same.py")
    (root / "was_link").symlink_to("same.py")
    (root / os.fsdecode(b"caf\xe9 x.py")).write_text("a = 1\n")
    (root / "no_end.txt").write_text("one\ntwo")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "more")
    (root / "staged.py").write_text("x = 2\n")
    git(root, "add", "staged.py")
    (root / "staged.py").write_text("x = 22\n")
    (root / "unstaged.py").write_text("x = 3\r\n\r\n")
    (root / "deleted.py").unlink()
    (root / "gone.bin").unlink()
    (root / "bits.bin").write_bytes(b"\0\1\2" * 999)
    (root / "link").unlink()
    (root / "link").symlink_to("staged.py")
    (root / "was_link").unlink()
    (root / "was_link").write_text("a file now\n")
    (root / "same.py").chmod(0o755)
    (root / os.fsdecode(b"caf\xe9 x.py")).write_text("a = 2\n")
    (root / "no_end.txt").write_text("one\ntwo\nthree")
    (root / "sub").mkdir()
    (root / "sub/new.py").write_text("n = 1\n")
    git(root, "add", "sub")
    found = patch(root)
    assert found.left_out == () and found.moved == ()
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(root), str(clone))
    assert contents(clone) != contents(root)
    subprocess.run(["git", "apply", "--whitespace=nowarn"], cwd=clone, input=found.data, check=True)
    assert contents(clone) == contents(root)


def test_the_patch_is_of_the_whole_repository_also_from_a_folder_in_it(repository: Path, git: Git) -> None:
    (repository / "inner").mkdir()
    (repository / "inner/x.py").write_text("1\n")
    git(repository, "add", ".")
    (repository / "staged.py").write_text("x = 2\n")
    found = patch(repository / "inner")
    assert [change.path for change in found.changes] == [b"inner/x.py", b"staged.py"]


def test_a_repository_without_a_commit_gives_what_is_staged(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "x.py").write_text("x = 1\n")
    git(tmp_path, "add", ".")
    assert b"+x = 1" in patch(tmp_path).data


def test_a_file_in_a_conflict_is_in_the_patch_as_it_lies_there(repository: Path, tmp_path: Path, git: Git) -> None:
    git(repository, "checkout", "-q", "-b", "other")
    (repository / "same.py").write_text("x = 'other'\n")
    git(repository, "commit", "-q", "-a", "-m", "other")
    git(repository, "checkout", "-q", "trunk")
    (repository / "same.py").write_text("x = 'trunk'\n")
    git(repository, "commit", "-q", "-a", "-m", "trunk")
    git(repository, "merge", "other", check=False)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repository), str(clone))
    subprocess.run(["git", "apply"], cwd=clone, input=patch(repository).data, check=True)
    assert (clone / "same.py").read_bytes() == (repository / "same.py").read_bytes()
    assert b"<<<<<<<" in (clone / "same.py").read_bytes()


def left(found: Patch) -> dict[str, str]:
    assert all(row.counts for row in found.left_out)
    return {row.path: row.reason for row in found.left_out}


def test_a_large_file_is_left_out_and_the_rest_applies(repository: Path, git: Git) -> None:
    large = repository / "large.bin"
    large.write_bytes(b"x")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "large")
    with large.open("r+b") as file:
        file.truncate(left_out.FILE_LIMIT + 1)
    (repository / "same.py").write_text("x = 9\n")
    found = patch(repository)
    assert left(found) == {"large.bin": left_out.TOO_LARGE}
    assert b"large.bin" not in found.data and b"x = 9" in found.data


def test_many_files_are_left_out_from_the_largest_on(repository: Path, git: Git) -> None:
    size = left_out.ALL_LIMIT // 4 + 1
    for name in "abcde":
        (repository / name).write_bytes(name.encode() * (size + ord(name)))
    git(repository, "add", ".")
    found = patch(repository)
    assert left(found) == {"e": left_out.TOO_MUCH, "d": left_out.TOO_MUCH}


@pytest.mark.parametrize(
    ("committed", "now"),
    [("x = 1\n", f"x = {TOKEN!r}\n"), (f"x = {TOKEN!r}\n", "x = 1\n"), (f"x = {TOKEN!r}\ny\n", f"x = {TOKEN!r}\nz\n")],
)
def test_a_secret_on_either_side_is_in_no_patch(repository: Path, git: Git, committed: str, now: str) -> None:
    (repository / "keys.py").write_text(committed)
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "keys")
    (repository / "keys.py").write_text(now)
    (repository / "same.py").write_text("x = 9\n")
    found = patch(repository)
    assert TOKEN.encode() not in found.data and b"x = 9" in found.data
    assert left(found) == {"keys.py": left_out.SECRET}


def test_a_secret_in_a_binary_file_and_a_file_of_secrets_are_left_out(repository: Path, git: Git) -> None:
    (repository / "weights.bin").write_bytes(b"\0\xff" * 50 + f" {TOKEN} ".encode() + b"\0" * 9)
    (repository / ".env").write_text("PLAIN=canary\n")
    git(repository, "add", ".")
    found = patch(repository)
    assert left(found) == {"weights.bin": left_out.SECRET, ".env": left_out.SECRET_NAME}
    assert found.data == b""


def test_a_pipe_in_place_of_a_file_does_not_hang(repository: Path) -> None:
    (repository / "same.py").unlink()
    os.mkfifo(repository / "same.py")
    assert left(patch(repository)) == {"same.py": left_out.NOT_PLAIN}


def test_a_name_with_wildcards_leaves_out_one_file(repository: Path, git: Git) -> None:
    with (repository / "*.bin").open("wb") as file:
        file.truncate(left_out.FILE_LIMIT + 1)
    (repository / "x.bin").write_bytes(b"x\n")
    git(repository, "add", ".")
    found = patch(repository)
    assert left(found) == {"*.bin": left_out.TOO_LARGE} and b"x.bin" in found.data


def test_what_the_snapshot_leaves_out_by_its_name_is_not_in_the_patch_either(repository: Path, git: Git) -> None:
    named = 'x = os.environ.get("DB_PASSWORD", "correct horse 1")\n'
    for name in ("same.py", "unstaged.py"):
        (repository / name).write_text(named if name == "same.py" else "x = 1\n")
    git(repository, "commit", "-qam", "more")
    (repository / "same.py").write_text("x = 1\n")
    (repository / "unstaged.py").write_text(named)
    found = patch(repository)
    assert b"horse" not in found.data
    assert {row.path: row.reason for row in found.left_out} == dict.fromkeys(
        ("same.py", "unstaged.py"), left_out.SECRET
    )


@pytest.mark.parametrize("is_gone", [False, True])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_binary_file_whose_committed_bytes_hold_a_secret_is_left_out(
    repository: Path, git: Git, encoding: str, is_gone: bool
) -> None:
    place = repository / "bits.bin"
    place.write_bytes(b"\0\0" + f"password={TOKEN}".encode(encoding))
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "more")
    place.write_bytes(b"\0 clean")
    if is_gone:
        place.unlink()
    found = patch(repository)
    assert found.data == b""
    assert [row.path for row in found.left_out] == ["bits.bin"]
