"""From a listing to digests, by way of the cache."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from samerun.base import clock
from samerun.base.sealed import write_sealed
from samerun.data.hash_cache import HashCache
from samerun.data.hashing import YOUNG_SECONDS
from samerun.data.reading import Progress, Read, Reporting, read_files, unknown_files
from samerun.data.scan import scan
from samerun.errors import UsageError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files that count as old: the clock is one minute ahead of them."""
    data = tmp_path / "data"
    data.mkdir()
    for name in "abcde":
        (data / name).write_text(name)
    now = clock.wall()
    monkeypatch.setattr(clock, "wall", lambda: now + 60)
    return data


def read(folder: Path, *, recheck: bool = False, said: list[str] | None = None) -> Read:
    reporting = Reporting() if said is None else Reporting(said.append)
    return read_files(scan(folder), 1, folder.parent / "cache", recheck=recheck, reporting=reporting)


def digests(found: Read) -> dict[str, str]:
    return {file.id: digest for file, digest in found.digests}


def right(folder: Path) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def poison(folder: Path) -> None:
    """Make the cache wrong about every file, and whole."""
    files = scan(folder).files
    cache = HashCache.open(folder.parent / "cache", scan(folder).root)
    cache.drop("")
    cache = HashCache.open(folder.parent / "cache", scan(folder).root)
    for file in files:
        cache.add(file, "0" * 64)
    cache.settle(files, ["0" * 64] * len(files))


def test_what_is_unchanged_is_not_read_again_and_what_changed_is(folder: Path) -> None:
    first = read(folder)
    assert digests(first) == right(folder) and (first.report.files_read, first.report.files_known) == (5, 0)
    assert unknown_files(scan(folder), folder.parent / "cache") == []
    second = read(folder)
    assert digests(second) == right(folder) and (second.report.files_read, second.report.files_known) == (0, 5)
    (folder / "b").write_text("B")
    (folder / "f").write_text("f")
    assert [file.id for file in unknown_files(scan(folder), folder.parent / "cache")] == ["b", "f"]
    third = read(folder)
    assert digests(third) == right(folder) and (third.report.files_read, third.report.files_known) == (2, 4)
    assert read(folder).report.files_known == 6


def test_a_change_that_puts_size_and_modification_time_back_is_seen(folder: Path) -> None:
    read(folder)
    facts = (folder / "c").stat()
    (folder / "c").write_text("C")
    os.utime(folder / "c", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert digests(read(folder)) == right(folder)


def test_a_file_that_changed_just_now_is_not_kept(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "x").write_text("x")
    assert digests(read(data)) == right(data)
    assert [file.id for file in unknown_files(scan(data), tmp_path / "cache")] == ["x"]
    facts = (data / "x").stat()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "wall", lambda: facts.st_mtime + YOUNG_SECONDS + 0.01)
        read(data)
    assert unknown_files(scan(data), tmp_path / "cache") == []


def test_a_young_file_that_changes_behind_the_first_reading_is_not_recorded(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "x").write_text("x")

    def change(progress: Progress) -> None:
        (data / "x").write_text("y")

    found = read_files(scan(data), 1, None, recheck=False, reporting=Reporting(progress=change))
    assert found.digests == [] and found.left_out == [("x", "it changed while it was read")]


def test_a_cache_that_is_wrong_is_noticed_by_the_sample_dropped_and_said(folder: Path) -> None:
    poison(folder)
    said: list[str] = []
    assert digests(read(folder, said=said)) == right(folder)
    assert len(said) == 1 and "wrong about" in said[0]
    assert digests(read(folder)) == right(folder)


def test_a_recheck_reads_everything_and_tells_what_the_cache_was_wrong_about(folder: Path) -> None:
    poison(folder)
    said: list[str] = []
    found = read(folder, recheck=True, said=said)
    assert digests(found) == right(folder) and found.report.files_read == 5
    assert said == ["the cache of file digests was wrong about 5 files: it is dropped"]
    said.clear()
    read(folder)
    read(folder, recheck=True, said=said)
    assert said == []


def test_a_damaged_cache_is_said_in_one_line(folder: Path) -> None:
    read(folder)
    for path in (folder.parent / "cache").iterdir():
        path.write_bytes(b"\xff" + path.read_bytes())
    said: list[str] = []
    assert digests(read(folder, said=said)) == right(folder)
    assert said == ["the cache of file digests was damaged: it is dropped, and every file is read again"]


def test_a_cache_of_another_shape_is_damaged_too(folder: Path) -> None:
    read(folder)
    for path in (folder.parent / "cache").iterdir():
        write_sealed(path, {"files": 7})
    said: list[str] = []
    assert digests(read(folder, said=said)) == right(folder) and len(said) == 1


def test_progress_is_told_up_to_the_end(folder: Path) -> None:
    seen: list[Progress] = []
    read_files(scan(folder), 2, None, recheck=False, reporting=Reporting(progress=seen.append))
    assert seen[-1] == Progress(5, 5, 5, 5)


def test_fewer_than_one_at_a_time_are_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="SR-DATA-024"):
        read_files(scan(folder), 0, None, recheck=False, reporting=Reporting())
