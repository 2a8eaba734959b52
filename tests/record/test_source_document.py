"""source.json says what was captured at the start, and is added to at the end without losing a word of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.base.digest import sha256
from samerun.record import layout
from samerun.record.source import Source, gather
from samerun.record.source_document import add_source, write_source
from samerun.record.source_read import read_snapshot, read_source

Git = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    return folder


@pytest.fixture
def source(repository: Path) -> Source:
    (repository / "same.py").write_text("import staged\n")
    (repository / "unstaged.py").write_text("x = 9\n")
    return gather(repository, [repository / "same.py"])


def late(source: Source, name: str) -> Source:
    return source.with_late([source.root / name])


def test_the_document_covers_patch_and_snapshot(run: Path, source: Source) -> None:
    write_source(run, source)
    document = read_source(run)
    assert document["patch"]["digest"] == sha256((run / layout.SOURCE_PATCH).read_bytes())
    assert b"+x = 9" in (run / layout.SOURCE_PATCH).read_bytes()
    assert set(read_snapshot(run)) == {name for name, row in document["files"].items() if row["is_stored"]}
    assert (document["is_complete"], document["incomplete"], document["changed_meanwhile"]) == (True, [], [])


def test_what_is_imported_late_is_added_and_the_start_stays(run: Path, source: Source) -> None:
    write_source(run, source)
    before = read_source(run)
    (source.root / "unstaged.py").write_text("x = 99\n")
    (source.root / "deleted.py").write_text("y = 1\n")
    add_source(run, [file for file in late(source, "deleted.py").files if file.is_late], [])
    after = read_source(run)
    assert after["files"]["user/deleted.py"]["why"] == "late"
    assert (after["git"], after["patch"]) == (before["git"], before["patch"])
    assert read_snapshot(run)["user/deleted.py"] == b"y = 1\n"


def test_what_changed_meanwhile_is_named_and_kept_as_it_was(run: Path, source: Source) -> None:
    write_source(run, source)
    (source.root / "staged.py").write_text("x = 7\n")
    assert [file.label for file in source.changed()] == ["staged.py"]
    add_source(run, [], source.changed())
    document = read_source(run)
    assert document["changed_meanwhile"] == [
        {"path": "user/staged.py", "was": sha256(b"x = 1\n"), "is": sha256(b"x = 7\n")}
    ]
    assert read_snapshot(run)["user/staged.py"] == b"x = 1\n"
    (source.root / "staged.py").unlink()
    add_source(run, [], source.changed())
    assert read_source(run)["changed_meanwhile"][0]["is"] is None


def test_a_file_that_was_only_touched_has_not_changed(run: Path, source: Source) -> None:
    (source.root / "staged.py").touch()
    (source.root / "staged.py").write_text("x = 1\n")
    assert source.changed() == []


def test_a_late_file_that_is_another_one_the_second_time_is_named(run: Path, source: Source) -> None:
    write_source(run, source)
    for text in ("y = 1\n", "y = 2\n"):
        (source.root / "deleted.py").write_text(text)
        add_source(run, [file for file in late(source, "deleted.py").files if file.is_late], [])
    assert [row["path"] for row in read_source(run)["changed_meanwhile"]] == ["user/deleted.py"]
    assert read_snapshot(run)["user/deleted.py"] == b"y = 2\n"


def test_a_late_file_with_a_secret_makes_the_record_incomplete(run: Path, source: Source) -> None:
    write_source(run, source)
    (source.root / "deleted.py").write_text("login('hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7')\n")
    add_source(run, [file for file in late(source, "deleted.py").files if file.is_late], [])
    document = read_source(run)
    assert not document["is_complete"] and document["incomplete"] == ["user/deleted.py: not stored whole"]
