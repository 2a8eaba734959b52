"""What a loop reads from outside, as content digests."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from samerun.base.digest import sha256
from samerun.base.sealed import read_sealed
from samerun.errors import MissingError, NoMatchError, RefusedError
from samerun.judge.diff import diff
from samerun.judge.integrity import check_files
from samerun.record import data
from samerun.record.data import FolderFiles, read_data
from samerun.record.reader import RunRecord
from samerun.run.inputs import Inputs
from samerun.run.run import Run

Start = Callable[..., Run]


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words.txt"
    path.write_text("one two")
    return path


def read_in(start: Start, words: Path, steps: int = 2) -> Run:
    with start(checkpoint={"every": 1}) as run:
        assert run.input(words) == words
        list(run.steps(steps))
    return run


def test_content_counts_and_the_path_does_not(start: Start, words: Path, tmp_path: Path) -> None:
    run = read_in(start, words)
    digest = sha256(b"one two")
    assert read_sealed(run.folder / "data.json")["inputs"] == {"input/words.txt": digest}
    assert RunRecord.open(run.folder).identity.experiment["inputs"] == {"input/words.txt": digest}
    moved = tmp_path / "elsewhere" / "words.txt"
    moved.parent.mkdir()
    words.rename(moved)
    assert read_in(start, moved, 3).folder == run.folder


def test_an_input_moved_under_a_run_is_refused_and_the_run_stands_as_it_stood(start: Start, words: Path) -> None:
    run = read_in(start, words)
    before = (run.folder / "manifest.json").read_bytes()
    words.write_text("one three")
    with pytest.raises(RefusedError) as caught:
        read_in(start, words, 4)
    assert caught.value.code == "SR-RUN-015" and "words.txt" in caught.value.evidence[0]
    now, then = RunRecord.open(run.folder).manifest, before.decode()
    assert (now.status, now.step, now.state_digest is not None) == ("completed", 2, True)
    assert f'"step":{now.step}' in then and len(list(RunRecord.open(run.folder).metrics())) == 2
    words.write_text("one two")
    assert read_in(start, words, 3).step == 3


def test_an_input_that_a_loop_no_longer_asks_for_is_said_and_recorded(
    start: Start, words: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = read_in(start, words)
    assert read_in(start, words, 3).folder == run.folder and capsys.readouterr().err == ""
    with start() as again:
        list(again.steps(4))
    assert again.folder == run.folder and "input/words.txt" in capsys.readouterr().err
    (event,) = [row for row in RunRecord.open(run.folder).events() if row["event"] == "input_not_read"]
    assert event["inputs"] == ["input/words.txt"] and event["attempt"] == 3


def test_another_input_of_a_fresh_run_is_another_identity(start: Start, words: Path) -> None:
    first = read_in(start, words).identity
    words.write_text("one three")
    with start(new=True) as run:
        run.input(words)
        list(run.steps(1))
    assert run.identity != first


def test_an_input_inside_the_loop_is_refused(start: Start, words: Path) -> None:
    with start() as run:
        for _ in run.steps(1):
            with pytest.raises(RefusedError, match="SR-RUN-013"):
                run.input(words)


def test_a_folder_counts_by_names_and_contents(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    digests = []
    for name, text in (("a", "1"), ("b", "1"), ("b", "2")):
        (folder / name).write_text(text)
        inputs = Inputs()
        inputs.add_path(str(folder), revision=None, is_entered=False)
        digests.append(inputs.facts["input/set"])
    assert len(set(digests)) == 3


def test_the_files_of_a_folder_are_listed_one_by_one(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    (folder / "deep").mkdir(parents=True)
    (folder / "a").write_text("1")
    (folder / "deep" / "b").write_text("2")
    files = {"a": sha256(b"1"), "deep/b": sha256(b"2")}
    run = read_in(start, folder)
    assert read_data(run.folder).folders == {"input/set": FolderFiles(files, 2)}


def test_a_file_of_a_folder_that_changed_is_named_when_the_run_goes_on(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    for name in "abcd":
        (folder / name).write_text(name)
    read_in(start, folder)
    (folder / "a").write_text("other")
    (folder / "b").unlink()
    (folder / "c").rename(folder / "e")
    with pytest.raises(RefusedError, match="SR-RUN-015") as caught:
        read_in(start, folder, 3)
    wanted = ("  1 missing, 1 altered, 1 moved of 5 files", "  missing: b", "  altered: a", "  moved: c -> e")
    assert caught.value.evidence[1:] == wanted


def test_of_many_files_the_list_stands_beside_and_every_reader_knows_it(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "LISTED_INSIDE", 3)
    folder = tmp_path / "set"
    folder.mkdir()
    for name in "abcd":
        (folder / name).write_text(name)
    run = read_in(start, folder)
    assert (run.folder / "data-files.jsonl").is_file() and check_files(RunRecord.open(run.folder)) == []
    (folder / "b").write_text("other")
    with pytest.raises(RefusedError, match="SR-RUN-015") as caught:
        read_in(start, folder, 3)
    assert caught.value.evidence[1:] == ("  1 altered of 4 files", "  altered: b")
    with start(new=True) as other:
        other.input(folder)
        list(other.steps(2))
    found = diff(RunRecord.open(run.folder), RunRecord.open(other.folder))
    assert found.sections["data"][0]["files"]["changed"] == ["b"]
    (run.folder / "data-files.jsonl").write_text("[]")
    assert [problem.file for problem in check_files(RunRecord.open(run.folder))] == ["data.json"]


def test_what_nobody_can_read_is_said_and_recorded_and_what_cannot_be_pinned_is_refused(
    start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "a").write_text("1")
    os.mkfifo(folder / "pipe")
    run = read_in(start, folder)
    assert read_data(run.folder).folders["input/set"].left_out == (("pipe", "no regular file"),)
    assert "input/set: in no digest, since nobody can read it: pipe (no regular file)" in capsys.readouterr().err
    (folder / "caf\udce9").write_text("x")
    with pytest.raises(RefusedError, match="SR-DATA-022"):
        read_in(start, folder, 3)


def test_a_folder_is_read_through_its_links(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    (tmp_path / "set").mkdir()
    (tmp_path / "blobs" / "1").write_text("one")
    (tmp_path / "set" / "a").symlink_to(tmp_path / "blobs" / "1")
    (tmp_path / "set" / "deep").symlink_to(tmp_path / "blobs")
    inputs = Inputs()
    inputs.add_path(str(tmp_path / "set"), revision=None, is_entered=False)
    assert list(inputs.folders["input/set"].files) == ["a", "deep/1"]


def test_a_folder_without_a_file_is_no_input(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    with pytest.raises(NoMatchError, match="SR-DATA-023"):
        Inputs().add_path(str(tmp_path / "set"), revision=None, is_entered=False)


def test_two_inputs_of_one_name_are_both_kept(tmp_path: Path) -> None:
    inputs = Inputs()
    for place in ("a", "b", "a"):
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "x").write_text(place)
        inputs.add_path(str(tmp_path / place / "x"), revision=None, is_entered=False)
    assert inputs.facts == {"input/x": sha256(b"a"), "input/x-2": sha256(b"b")}


def test_arrays_in_memory_are_digested_and_other_data_sets_are_left_to_the_trail() -> None:
    inputs = Inputs()
    inputs.add_dataset("train", (np.arange(3), np.zeros((3, 2))))
    inputs.add_dataset("other", object())
    assert list(inputs.facts) == ["dataset/train"]
    other = Inputs()
    other.add_dataset("train", (np.arange(3), np.ones((3, 2))))
    assert other.facts != inputs.facts


@pytest.mark.parametrize("reference", ["no-such-file", "./no/such", "a/b/c", "no such/owner name"])
def test_what_cannot_be_found_is_missing(reference: str) -> None:
    with pytest.raises(MissingError) as caught:
        Inputs().add_path(reference, revision=None, is_entered=False)
    assert caught.value.code == "SR-RUN-014" and reference in caught.value.what
    assert "unpacked-data" in caught.value.do


def test_a_file_name_that_is_no_unicode_is_written_out(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "caf\udce9.txt"
    path.write_text("x")
    assert read_in(start, path).folder == read_in(start, path, 3).folder
    (run,) = (tmp_path / "runs").glob("tiny-*")
    assert list(RunRecord.open(run).identity.experiment["inputs"]) == ["input/caf\\udce9.txt"]
