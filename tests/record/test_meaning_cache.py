"""The cache of meanings: it changes how long an answer takes, never the answer."""

from pathlib import Path

import pytest

from samerun.base import files
from samerun.record.meaning import meaning_of
from samerun.record.meaning_cache import MeaningCache

TEXTS = [b"import a\nx = 1\n", b"from .b import *\n__all__ = ['c']\n", b"print(__doc__)\n", b"def f(:\n", b""]


def filled(folder: Path) -> Path:
    cache = MeaningCache.open(folder)
    for text in TEXTS:
        assert cache.meaning(text) == meaning_of(text)
    assert cache.computed == len(TEXTS)
    cache.save()
    (path,) = folder.iterdir()
    return path


def test_a_second_process_computes_nothing(tmp_path: Path) -> None:
    filled(tmp_path)
    cache = MeaningCache.open(tmp_path)
    assert [cache.meaning(text) for text in TEXTS] == [meaning_of(text) for text in TEXTS]
    assert cache.computed == 0


def test_a_damaged_entry_is_computed_again(tmp_path: Path) -> None:
    path = filled(tmp_path)
    whole = path.read_bytes()
    for position in range(0, len(whole), 11):
        damaged = bytearray(whole)
        damaged[position] ^= 0x01
        path.write_bytes(damaged)
        cache = MeaningCache.open(tmp_path)
        assert [cache.meaning(text) for text in TEXTS] == [meaning_of(text) for text in TEXTS]
        assert cache.computed <= 2


def test_a_damaged_cache_mends_itself(tmp_path: Path) -> None:
    path = filled(tmp_path)
    path.write_bytes(path.read_bytes()[:-20])
    for computed in (1, 0):
        cache = MeaningCache.open(tmp_path)
        for text in TEXTS:
            cache.meaning(text)
        assert cache.computed == computed
        cache.save()


def test_an_entry_of_one_file_cannot_stand_in_for_another(tmp_path: Path) -> None:
    path = filled(tmp_path)
    first, second = path.read_bytes().split()[:4:2]
    path.write_bytes(path.read_bytes().replace(first, b"x" * 64).replace(second, first))
    cache = MeaningCache.open(tmp_path)
    assert [cache.meaning(text) for text in TEXTS] == [meaning_of(text) for text in TEXTS]
    assert cache.computed == 2


def test_a_cache_that_grew_too_large_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(tmp_path)
    monkeypatch.setattr("samerun.record.meaning_cache._SIZE_LIMIT", 10)
    cache = MeaningCache.open(tmp_path)
    cache.meaning(b"y = 2")
    cache.save()
    assert path.read_bytes().count(b"\n") == 2


def test_a_cache_that_cannot_be_used_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = MeaningCache.open(tmp_path / "file" / "below")
    assert cache.meaning(TEXTS[0]) == meaning_of(TEXTS[0])
    cache.save()

    def refuse(operation: str, path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    cache = MeaningCache.open(tmp_path / "cache")
    assert cache.meaning(TEXTS[0]) == meaning_of(TEXTS[0])
    files.on_operation(refuse)
    try:
        cache.save()
    finally:
        files.on_operation(None)
    assert not (tmp_path / "cache").exists()


def test_without_a_folder_nothing_is_kept() -> None:
    cache = MeaningCache.open(None)
    assert cache.meaning(TEXTS[0]) == meaning_of(TEXTS[0])
    cache.save()
