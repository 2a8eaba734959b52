"""Digests of files kept between processes."""

from __future__ import annotations

import os
from pathlib import Path

from samerun.data.hash_cache import HashCache
from samerun.data.scan import Found, scan

DIGESTS = ["0" * 64, "1" * 64]


def listed(folder: Path, *names: str) -> list[Found]:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text(name)
    return scan(folder).files


def fill(cache: HashCache, files: list[Found], *, is_whole: bool = True) -> None:
    for file, digest in zip(files, DIGESTS, strict=True):
        cache.add(file, digest)
    cache.settle(files, DIGESTS if is_whole else ())


def kept(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_digests_are_found_again_by_another_process(tmp_path: Path) -> None:
    files = listed(tmp_path / "data", "a", "b")
    for is_whole in (True, False):
        place = tmp_path / f"cache-{is_whole}"
        fill(HashCache.open(place, "root"), files, is_whole=is_whole)
        assert HashCache.open(place, "root").digests_of(files) == DIGESTS
        assert HashCache.open(place, "elsewhere").digests_of(files) == [None, None]


def test_a_file_that_shows_any_change_is_not_known(tmp_path: Path) -> None:
    files = listed(tmp_path / "data", "a", "b")
    fill(HashCache.open(tmp_path / "cache", "root"), files)
    for field, value in (("size", 9), ("mtime_ns", 9), ("ctime_ns", 9), ("inode", 9), ("path", "/elsewhere")):
        now = [files[0]._replace(**{field: value}), files[1]]
        assert HashCache.open(tmp_path / "cache", "root").digests_of(now) == [None, DIGESTS[1]], field


def test_one_changed_byte_drops_the_cache_and_says_so(tmp_path: Path) -> None:
    files = listed(tmp_path / "data", "a", "b")
    for is_whole in (True, False):
        fill(HashCache.open(tmp_path / "cache", "root"), files, is_whole=is_whole)
        path = kept(tmp_path / "cache")[0]
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        cache = HashCache.open(tmp_path / "cache", "root")
        assert cache.digests_of(files) == [None, None] and "damaged" in cache.notes[0]
        assert kept(tmp_path / "cache") == []


def test_a_line_that_a_kill_left_torn_costs_that_line_alone(tmp_path: Path) -> None:
    files = listed(tmp_path / "data", "a", "b")
    cache = HashCache.open(tmp_path / "cache", "root")
    for file, digest in zip(files, DIGESTS, strict=True):
        cache.add(file, digest)
        cache.flush()
    (path,) = kept(tmp_path / "cache")
    path.write_bytes(path.read_bytes()[:-5])
    again = HashCache.open(tmp_path / "cache", "root")
    assert again.digests_of(files) == [DIGESTS[0], None] and again.notes == []
    again.add(files[1], DIGESTS[1])
    again.settle(files)
    assert HashCache.open(tmp_path / "cache", "root").digests_of(files) == DIGESTS


def test_what_is_gone_is_forgotten_in_the_end(tmp_path: Path) -> None:
    (file,) = listed(tmp_path / "data", "a")
    cache = HashCache.open(tmp_path / "cache", "root")
    for size in range(2000):
        cache.add(file._replace(size=size), DIGESTS[0])
    cache.add(file, DIGESTS[1])
    cache.settle([file])
    (path,) = kept(tmp_path / "cache")
    assert path.stat().st_size < 400
    assert HashCache.open(tmp_path / "cache", "root").digests_of([file]) == [DIGESTS[1]]


def test_no_name_of_a_file_stands_in_the_cache(tmp_path: Path) -> None:
    files = listed(tmp_path / "data", "telling-name", "other")
    fill(HashCache.open(tmp_path / "cache", str(tmp_path / "data")), files)
    for path in kept(tmp_path / "cache"):
        assert b"telling" not in path.read_bytes() and "data-1-" in path.name


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    files = listed(tmp_path / "data", "a", "b")
    (tmp_path / "file").write_text("x")
    fill(HashCache.open(tmp_path / "file", "root"), files)
    fill(HashCache.open(None, "root"), files)
    assert HashCache.open(None, "root").digests_of(files) == [None, None]
    assert sorted(os.listdir(tmp_path)) == ["data", "file"]
