"""Writing: all or nothing after a kill at every single operation; what fails says why and breaks nothing."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from samerun.base import files
from samerun.base.digest import sha256
from samerun.errors import DamageError, MissingError

CHILD = """
import os, sys
from pathlib import Path
from samerun.base import files

folder, kill_at = Path(sys.argv[1]), int(sys.argv[2])
count = 0

def hook(operation, path):
    global count
    if count == kill_at:
        os._exit(9)
    count += 1

files.on_operation(hook)
BODY
files.on_operation(None)
print(count)
"""


def killed_at(folder: Path, body: str, operation: int) -> bool:
    """Run `body` in a new process that dies before its n-th operation; False when it has fewer."""
    script = CHILD.replace("BODY", body)
    result = subprocess.run([sys.executable, "-c", script, str(folder), str(operation)], capture_output=True, text=True)
    assert result.returncode in (0, 9), result.stderr
    return result.returncode == 9


def each_kill(tmp_path: Path, prepare: Callable[[Path], None], body: str) -> Iterator[Path]:
    for operation in range(100):
        folder = tmp_path / str(operation)
        folder.mkdir()
        prepare(folder)
        was_killed = killed_at(folder, body, operation)
        yield folder
        if not was_killed:
            assert operation > 1
            return
    raise AssertionError("it never came to an end")


def visible(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(files.is_rubble(part) for part in path.relative_to(folder).parts)
    }


@pytest.fixture(autouse=True)
def no_hook_is_left() -> Iterator[None]:
    yield
    files.on_operation(None)


def fail_at(operation: str, number: int, code: int) -> None:
    seen = 0

    def hook(name: str, path: Path) -> None:
        nonlocal seen
        seen += name == operation
        if name == operation and seen == number:
            raise OSError(code, os.strerror(code), str(path))

    files.on_operation(hook)


def test_a_kill_at_any_operation_of_replace_leaves_the_old_or_the_new_content_whole(tmp_path: Path) -> None:
    seen = set()
    body = "files.replace(folder / 'a', b'new' * 1000)"
    for folder in each_kill(tmp_path, lambda folder: (folder / "a").write_bytes(b"old") and None, body):
        content = visible(folder)
        assert content in ({"a": b"old"}, {"a": b"new" * 1000})
        seen.add(content["a"])
    assert seen == {b"old", b"new" * 1000}


def test_a_kill_at_any_operation_of_write_new_leaves_nothing_or_everything(tmp_path: Path) -> None:
    seen = set()
    for folder in each_kill(tmp_path, lambda folder: None, "files.write_new(folder / 'a', b'new' * 1000)"):
        content = visible(folder)
        assert content in ({}, {"a": b"new" * 1000})
        seen.add(len(content))
    assert seen == {0, 1}


def test_a_kill_while_a_folder_is_published_leaves_no_half_folder(tmp_path: Path) -> None:
    body = """
hidden = files.hidden_sibling(folder / "step-00000001")
files.make_dir(hidden, exclusive=True)
files.write_chunks(hidden / "a", [b"1", b"2"])
files.write_chunks(hidden / "b", [b"3"])
files.sync_dir(hidden)
files.rename(hidden, folder / "step-00000001")
"""
    for folder in each_kill(tmp_path, lambda folder: None, body):
        assert visible(folder) in ({}, {"step-00000001/a": b"12", "step-00000001/b": b"3"})


def test_a_kill_while_a_folder_is_removed_leaves_all_of_it_or_nothing(tmp_path: Path) -> None:
    def prepare(folder: Path) -> None:
        (folder / "step-1" / "deep").mkdir(parents=True)
        (folder / "step-1" / "index").write_bytes(b"i")
        (folder / "step-1" / "deep" / "x").write_bytes(b"x")

    for folder in each_kill(tmp_path, prepare, "files.remove(folder / 'step-1')"):
        assert visible(folder) in ({}, {"step-1/index": b"i", "step-1/deep/x": b"x"})


def test_a_kill_between_rows_loses_no_row(tmp_path: Path) -> None:
    body = """
log = files.Appender(folder / "log")
for row in range(5):
    log.append(b"row %d\\n" % row)
log.sync()
log.close()
"""
    for folder in each_kill(tmp_path, lambda folder: None, body):
        content = visible(folder).get("log", b"")
        assert content == b"".join(b"row %d\n" % row for row in range(content.count(b"\n")))


@pytest.mark.parametrize("operation", ["write", "fsync", "rename"])
def test_a_failure_at_any_operation_of_replace_keeps_the_old_file_and_leaves_no_rubble(
    tmp_path: Path, operation: str
) -> None:
    (tmp_path / "a").write_bytes(b"old")
    fail_at(operation, 1, errno.EIO)
    with pytest.raises(MissingError, match="SR-FILE-003"):
        files.replace(tmp_path / "a", b"new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"old"}


@pytest.mark.parametrize(
    ("code", "named"),
    [
        (errno.ENOSPC, "SR-FILE-001"),
        (errno.EDQUOT, "SR-FILE-001"),
        (errno.EFBIG, "SR-FILE-001"),
        (errno.EROFS, "SR-FILE-002"),
        (errno.EACCES, "SR-FILE-002"),
        (errno.EPERM, "SR-FILE-002"),
        (errno.EIO, "SR-FILE-003"),
        (errno.ESTALE, "SR-FILE-003"),
    ],
)
def test_a_full_disk_and_a_closed_folder_are_named_by_every_call(tmp_path: Path, code: int, named: str) -> None:
    path = tmp_path / "a"
    (tmp_path / "old").write_bytes(b"12345")
    log = files.Appender(tmp_path / "log")
    calls: list[tuple[str, Callable[[], object]]] = [
        ("write", lambda: files.write_new(path, b"x")),
        ("fsync", lambda: files.replace(path, b"x")),
        ("write", lambda: files.write_chunks(path, [b"x"])),
        ("mkdir", lambda: files.make_dir(tmp_path / "b" / "c")),
        ("rename", lambda: files.rename(tmp_path / "old", path)),
        ("unlink", lambda: files.remove(tmp_path / "old")),
        ("write", lambda: files.cut(tmp_path / "old", 2)),
        ("write", lambda: log.append(b"x")),
        ("fsync", log.sync),
        ("write", lambda: files.Appender(tmp_path / "log2")),
    ]
    for operation, call in calls:
        fail_at(operation, 1, code)
        with pytest.raises(MissingError) as caught:
            call()
        assert caught.value.code == named
        assert str(tmp_path) in str(caught.value)
        if named == "SR-FILE-001":
            assert "free there" in str(caught.value)
        path.unlink(missing_ok=True)
    assert (tmp_path / "old").read_bytes() == b"12345"


def test_a_full_disk_keeps_the_old_file_and_names_path_and_free_bytes(tiny_disk: Path) -> None:
    files.replace(tiny_disk / "a", b"old")
    with pytest.raises(MissingError) as caught:
        files.replace(tiny_disk / "a", bytes(2 << 20))
    assert caught.value.code == "SR-FILE-001"
    assert f"{tiny_disk}/a" in str(caught.value)
    assert "bytes (" in str(caught.value)
    assert {path.name: path.read_bytes() for path in tiny_disk.iterdir()} == {"a": b"old"}


def test_a_row_that_does_not_fit_is_taken_back_whole(tiny_disk: Path) -> None:
    log = files.Appender(tiny_disk / "log")
    with pytest.raises(MissingError):
        for _ in range(2000):
            log.append(b"x" * 1000 + b"\n")
    assert log.size == (tiny_disk / "log").stat().st_size
    assert log.size % 1001 == 0 < log.size
    log.close()


def test_a_read_only_disk_is_named(tiny_disk: Path) -> None:
    (tiny_disk / "runs").mkdir()
    subprocess.run(["mount", "-o", "remount,ro", str(tiny_disk)], check=True)
    for call in (
        lambda: files.make_dir(tiny_disk / "runs" / "x" / "y"),
        lambda: files.write_new(tiny_disk / "a", b"x"),
        lambda: files.Appender(tiny_disk / "log"),
    ):
        with pytest.raises(MissingError) as caught:
            call()
        assert caught.value.code == "SR-FILE-002"


def test_write_new_never_replaces(tmp_path: Path) -> None:
    files.write_new(tmp_path / "a", b"first")
    with pytest.raises(FileExistsError):
        files.write_new(tmp_path / "a", b"second")
    with pytest.raises(FileExistsError):
        files.write_chunks(tmp_path / "a", [b"third"])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"first"}


def test_write_new_works_where_there_are_no_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(source: Path, target: Path) -> None:
        raise OSError(errno.EPERM, "no links on this file system")

    monkeypatch.setattr(os, "link", no_links)
    files.write_new(tmp_path / "a", b"first")
    with pytest.raises(FileExistsError):
        files.write_new(tmp_path / "a", b"second")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"first"}


def test_chunks_are_hashed_as_they_are_written(tmp_path: Path) -> None:
    chunks = [b"abc", memoryview(b"def"), bytearray(b"g"), b""]
    assert files.write_chunks(tmp_path / "a", chunks) == (7, sha256(b"abcdefg"))
    assert (tmp_path / "a").read_bytes() == b"abcdefg"


def test_folders_are_made_with_their_parents_and_exclusively_when_asked(tmp_path: Path) -> None:
    files.make_dir(tmp_path / "a" / "b")
    files.make_dir(tmp_path / "a" / "b")
    with pytest.raises(FileExistsError):
        files.make_dir(tmp_path / "a" / "b", exclusive=True)
    files.make_dir(tmp_path / "a" / "c" / "d", exclusive=True)
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(MissingError, match="SR-FILE-002"):
            files.make_dir(path)


@pytest.mark.parametrize("place", ["/proc/x", "/proc/x/runs", "/sys/x", "/dev/null/x", "a\0b"])
@pytest.mark.parametrize("exclusive", [False, True])
def test_a_folder_that_cannot_be_made_there_is_refused_in_words(place: str, exclusive: bool) -> None:
    with pytest.raises(MissingError, match="SR-FILE-002") as caught:
        files.make_dir(Path(place), exclusive=exclusive)
    assert caught.value.evidence and caught.value.do
    assert "\0" not in str(caught.value)


@pytest.mark.parametrize("code", [errno.ENOENT, errno.EINVAL, errno.EBUSY, errno.EMLINK, errno.ENAMETOOLONG, None])
def test_every_reason_for_not_making_a_folder_is_told(tmp_path: Path, code: int | None) -> None:
    def refuse(operation: str, path: Path) -> None:
        if operation == "mkdir":
            raise OSError(code, os.strerror(code), str(path)) if code else OSError("no reason")

    files.on_operation(refuse)
    try:
        with pytest.raises(MissingError, match="SR-FILE-002") as caught:
            files.make_dir(tmp_path / "a" / "b")
    finally:
        files.on_operation(None)
    assert caught.value.evidence == (os.strerror(code) if code else "no reason",)


def test_removing_follows_no_link_and_forgives_what_is_gone(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "x").write_bytes(b"x")
    (tmp_path / "doomed").mkdir()
    (tmp_path / "doomed" / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    for name in ("doomed", "link", "never"):
        files.remove(tmp_path / name)
    assert visible(tmp_path) == {"kept/x": b"x"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept"]


def test_rubble_is_known_by_its_name_and_can_be_removed(tmp_path: Path) -> None:
    sibling = files.hidden_sibling(tmp_path / "step-1")
    assert sibling.parent == tmp_path
    assert files.is_rubble(sibling.name)
    assert not any(map(files.is_rubble, ["step-1", ".hidden", "a.tmp"]))
    sibling.mkdir()
    assert files.hidden_sibling(tmp_path / "step-1") != sibling
    files.remove(sibling)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_cut_and_a_shorter_one_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"0123456789")
    files.cut(path, 4)
    assert path.read_bytes() == b"0123"
    with pytest.raises(DamageError) as caught:
        files.cut(path, 5)
    assert caught.value.code == "SR-DAMAGE-004"
    assert path.read_bytes() == b"0123"


def test_an_appender_goes_on_at_the_end(tmp_path: Path) -> None:
    for row in (b"a\n", b"b\n"):
        log = files.Appender(tmp_path / "log")
        log.append(row)
        log.sync()
        log.close()
        log.close()
    assert log.size == 4
    assert (tmp_path / "log").read_bytes() == b"a\nb\n"


def test_new_files_obey_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        files.replace(tmp_path / "a", b"")
        files.write_new(tmp_path / "b", b"")
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in "ab"] == [0o640, 0o640]
