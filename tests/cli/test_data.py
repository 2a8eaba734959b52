"""`samerun data`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from samerun.base import clock
from samerun.cli.data import command
from samerun.cli.main import run
from samerun.data.manifest_file import read_manifest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "data"
    for name, text in (("cats/1.txt", "one"), ("cats/2.txt", "two"), ("dogs/3.txt", "one"), ("dogs/4.txt", "four")):
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text(text)
    return data


def answer(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    assert run([*words, "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_manifest_is_made_written_and_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["data", "manifest", "data", "-o", "m.jsonl", "--label", "folder"]) == 0
    out = capsys.readouterr().out
    assert "4 files, 13 B, 2 labels" in out and "digest: sha256:" in out and out.endswith("written: m.jsonl\n")
    assert {entry.label for entry in read_manifest(Path("m.jsonl")).entries} == {"cats", "dogs"}
    assert run(["data", "check", "m.jsonl", "data"]) == 0
    assert capsys.readouterr().out == "same: nothing differs of 4 files\n"


def test_a_rule_that_fits_nothing_is_seen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["data", "manifest", "data", "--label", "folder:9", "--group", "regex:x(y)"]) == 0
    assert capsys.readouterr().out.startswith("4 files, 13 B, 0 labels, 0 groups")


def test_the_documents_have_their_schema_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = answer(capsys, "data", "manifest", "data", "-o", "m.jsonl")
    assert list(made)[:5] == ["schema", "digest", "kind", "entries", "size_bytes"]
    assert made["schema"] == "samerun.data.manifest/1" and made["written"] == "m.jsonl"
    checked = answer(capsys, "data", "check", "m.jsonl", "data", "--duplicates")
    assert (checked["schema"], checked["verdict"]) == ("samerun.data.check/1", "same")
    assert checked["duplicates"]["exact"][0]["ids"] == ["cats/1.txt", "dogs/3.txt"]
    split = answer(capsys, "data", "split", "m.jsonl", "--fractions", "train=0.5,test=0.5", "-o", "s")
    assert split["schema"] == "samerun.data.split/1" and split["written"] == ["s/train.jsonl", "s/test.jsonl"]
    different = answer(capsys, "data", "diff", "m.jsonl", "s/test.jsonl", code=1)
    assert different["schema"] == "samerun.data.diff/1" and different["counts"]["missing"] > 0


def test_what_differs_is_exit_1_and_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["data", "manifest", "data", "-o", "m.jsonl"])
    (folder / "cats" / "1.txt").write_text("other")
    (folder / "cats" / "2.txt").rename(folder / "dogs" / "2\x1b[31m.txt")
    (folder / "dogs" / "4.txt").unlink()
    (folder / "new").write_text("new")
    capsys.readouterr()
    assert run(["data", "check", "m.jsonl", "data"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "different: 1 missing, 1 extra, 1 altered, 1 moved of 6 files",
        "  missing: dogs/4.txt",
        "  extra: new",
        "  altered: cats/1.txt",
        "  moved: cats/2.txt -> dogs/2\\x1b[31m.txt",
    ]


def test_what_is_left_out_is_listed_and_refused_where_that_is_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "caf\udce9").write_text("x")
    assert run(["data", "manifest", "data"]) == 0
    out = capsys.readouterr().out
    assert "left out: caf\\udce9: its name is not UTF-8" in out and "left out: pipe: no regular file" in out
    assert run(["data", "manifest", "data", "--strict"]) == 3
    assert "SR-DATA-022" in capsys.readouterr().err


def test_duplicates_are_refused_under_strict(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["data", "manifest", "data", "-o", "m.jsonl"])
    assert run(["data", "check", "m.jsonl", "data", "--duplicates", "--strict"]) == 3
    assert run(["data", "split", "m.jsonl", "--fractions", "a=0.5,b=0.5", "--strict"]) == 3
    assert capsys.readouterr().err.count("SR-DATA-030") == 2
    assert run(["data", "split", "m.jsonl", "--fractions", "a=0.5,b=0.5", "--near", "data", "-o", "s.jsonl"]) == 0
    assert run(["data", "check", "s.jsonl", "data", "--duplicates=near"]) == 0
    assert "cats/1.txt = dogs/3.txt" in capsys.readouterr().out


def test_a_dry_run_says_how_much_would_be_read(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock.wall()
    monkeypatch.setattr(clock, "wall", lambda: now + 60)
    assert run(["data", "manifest", "data", "--dry-run"]) == 0
    assert capsys.readouterr().out == "would read 4 files, 13 B, of 4, 13 B\n"
    run(["data", "manifest", "data"])
    (folder / "new").write_text("abc")
    found = answer(capsys, "data", "manifest", "data", "--dry-run") if capsys.readouterr() else {}
    assert (found["files_to_read"], found["bytes_to_read"], found["files"]) == (1, 3, 5)
    assert run(["data", "manifest", "data", "--dry-run", "--no-cache"]) == 0
    assert capsys.readouterr().out.startswith("would read 5 files")


def test_rows_of_a_table_are_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.csv").write_text("who,kind,when\na,cat,2\nb,dog,1\nc,cat,3\n")
    table = str(tmp_path / "x.csv")
    words = ["data", "manifest", table, "--items", "--id", "who", "--label", "kind", "--time", "when", "-o", "m.jsonl"]
    assert run(words) == 0
    assert "3 items" in capsys.readouterr().out
    split = answer(capsys, "data", "split", "m.jsonl", "--chronological", "time", "--fractions", "train=0.67,test=0.33")
    assert split["classes"] == {"cat": {"train": 1, "test": 1}, "dog": {"train": 1, "test": 0}}
    assert run(["data", "split", "m.jsonl", "--chronological", "time", "--cuts", "old,new=2"]) == 0
    assert "--cuts old,new=2" in capsys.readouterr().out
    assert run(["data", "check", "m.jsonl", table]) == 0


def test_a_recipe_shows_what_its_run_would_record(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "data", "manifest", "digits")
    assert list(found["inputs"]) == ["dataset/data"] and found["entries"] == 1
    assert run(["data", "manifest", "digits", "--label", "folder"]) == 2
    Path("digits").mkdir()
    assert run(["data", "manifest", "digits"]) == 5
    assert "SR-DATA-023" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (["manifest", "nowhere"], 4, "SR-DATA-015"),
        (["manifest", "data", "-o", "m.txt"], 2, "SR-DATA-027"),
        (["manifest", "data", "--jobs", "0"], 2, "SR-DATA-024"),
        (["manifest", "data", "--label", "kind"], 2, "SR-DATA-020"),
        (["manifest", "data", "-s", "a=1"], 2, "SR-CLI-006"),
        (["manifest", "digits", "--dry-run", "-o", "m.jsonl"], 2, "SR-CLI-006"),
        (["manifest", "data", "--items"], 4, "SR-DATA-015"),
        (["check", "nowhere.jsonl", "data"], 4, "SR-DATA-015"),
        (["diff", "m.jsonl"], 2, "SR-CLI-003"),
        (["split", "m.jsonl"], 2, "SR-DATA-032"),
        (["split", "m.jsonl", "--fractions", "train=0.5"], 2, "SR-DATA-017"),
        (["split", "m.jsonl", "--fractions", "train=nan,test=0.5"], 2, "SR-DATA-017"),
        (["split", "m.jsonl", "--fractions", "train=-0.5,test=1.5"], 2, "SR-DATA-017"),
        (["split", "m.jsonl", "--fractions", "train=0.8,test=0.8"], 2, "SR-DATA-017"),
        (["split", "m.jsonl", "--fractions", "train=x"], 2, "SR-CLI-004"),
        (["split", "m.jsonl", "--fractions", "a=0.5,a=0.5"], 2, "SR-CLI-004"),
        (["split", "m.jsonl", "--cuts", "a,a=0.5"], 2, "SR-CLI-004"),
        (["nothing"], 2, "SR-CLI-002"),
        ([], 2, "SR-CLI-002"),
    ],
)
def test_bad_input_is_refused_with_its_code(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, error: str
) -> None:
    run(["data", "manifest", "data", "-o", "m.jsonl"])
    capsys.readouterr()
    assert run(["data", *words]) == code
    err = capsys.readouterr().err
    assert error in err and "do:" in err


def test_a_damaged_manifest_is_exit_6(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["data", "manifest", "data", "-o", "m.jsonl"])
    text = Path("m.jsonl").read_text()
    Path("m.jsonl").write_text(text.replace("cats", "dogs", 1))
    assert run(["data", "check", "m.jsonl", "data"]) == 6
    assert "SR-DATA-028" in capsys.readouterr().err and set(command.commands) == {"manifest", "check", "diff", "split"}
