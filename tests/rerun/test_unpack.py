"""Unpacking: verified before anything appears, nothing that is there is touched, and no edited byte is believed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from samerun.errors import DamageError, NoMatchError, RefusedError, SamerunError
from samerun.judge.integrity import check_files
from samerun.record.bundle.chosen import choose_files
from samerun.record.bundle.packing import gather, write_bundle
from samerun.record.reader import RunRecord
from samerun.rerun.pack import pack
from samerun.rerun.unpack import unpack

SAMPLE = 60


@pytest.fixture
def bundle(record: Any, tmp_path: Path) -> Path:
    made = record(checkpoints=(0, 6))
    return pack(made.folder, tmp_path / "a.zip").file


def test_a_run_is_unpacked_among_the_runs_under_its_own_name(bundle: Path, tmp_path: Path) -> None:
    found = unpack(bundle, runs=tmp_path / "elsewhere")
    assert found.run.parent == tmp_path / "elsewhere" and found.is_new and found.checkpoints == (6,)
    assert found.code == ("train.py",)
    assert found.run.name.startswith("tiny-") and check_files(RunRecord.open(found.run)) == []


def test_the_same_content_is_there_already_and_other_content_gets_the_next_number(bundle: Path, tmp_path: Path) -> None:
    runs = tmp_path / "elsewhere"
    first = unpack(bundle, runs=runs)
    again = unpack(bundle, runs=runs)
    assert (again.run, again.is_new, len(list(runs.iterdir()))) == (first.run, False, 1)
    (first.run / "metrics.jsonl").write_bytes(b"")
    other = unpack(bundle, runs=runs)
    assert (other.run.name, other.is_new) == (f"{first.run.name}-2", True)
    assert (first.run / "metrics.jsonl").read_bytes() == b""


def test_a_folder_of_ones_own_choice_is_not_touched_either(bundle: Path, tmp_path: Path) -> None:
    found = unpack(bundle, tmp_path / "mine" / "here")
    assert found.run == tmp_path / "mine" / "here" and not unpack(bundle, found.run).is_new
    (tmp_path / "other").mkdir()
    (tmp_path / "file").write_text("mine")
    for name in ("other", "file"):
        with pytest.raises(RefusedError, match="SR-BUNDLE-016"):
            unpack(bundle, tmp_path / name)
    assert (tmp_path / "file").read_text() == "mine" and list((tmp_path / "other").iterdir()) == []


def test_a_dry_run_verifies_and_writes_nothing(bundle: Path, tmp_path: Path) -> None:
    assert unpack(bundle, runs=tmp_path / "elsewhere", dry_run=True).is_new
    assert not (tmp_path / "elsewhere").exists()
    data = bytearray(bundle.read_bytes())
    data[data.index(b'"train/loss"')] ^= 1
    bundle.write_bytes(data)
    with pytest.raises(DamageError, match="SR-BUNDLE-013"):
        unpack(bundle, runs=tmp_path / "elsewhere", dry_run=True)


def test_a_bundle_whose_run_was_edited_before_it_was_packed_is_refused(record: Any, tmp_path: Path) -> None:
    made = record()
    (made.folder / "metrics.jsonl").write_bytes((made.folder / "metrics.jsonl").read_bytes().replace(b"1", b"2", 1))
    write_bundle(gather(made, choose_files(made), {}), tmp_path / "a.zip")
    with pytest.raises(DamageError, match="SR-BUNDLE-015"):
        unpack(tmp_path / "a.zip", runs=tmp_path / "elsewhere")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_bundle_that_is_not_there_is_no_match(tmp_path: Path) -> None:
    with pytest.raises(NoMatchError, match="SR-BUNDLE-017"):
        unpack(tmp_path / "gone.zip")


def everything(place: Path) -> dict[str, bytes]:
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def fuzz(bundle: Path, place: Path, count: int) -> None:
    """Edit, cut, double and shift pieces of a bundle: each is refused, and no file appears anywhere."""
    data = bundle.read_bytes()
    draw = random.Random(11)
    bundle.unlink()
    before = everything(place)
    edited = place.parent / "edited.zip"
    for number in range(count):
        other, at = bytearray(data), draw.randrange(len(data))
        end = min(len(data), at + draw.randrange(1, 300))
        kind = number % 4
        if kind == 0:
            other[at] ^= draw.randrange(1, 256)
        elif kind == 1:
            del other[at:end]
        elif kind == 2:
            other[at:at] = other[at:end]
        else:
            other[at:end] = draw.randbytes(end - at)
        if bytes(other) == data:
            continue
        edited.write_bytes(other)
        with pytest.raises(SamerunError) as caught:
            unpack(edited, runs=place / "elsewhere")
        assert caught.value.exit_code == 6, (number, caught.value)
    assert everything(place) == before


def test_an_edited_bundle_is_never_a_run(bundle: Path, tmp_path: Path) -> None:
    fuzz(bundle, tmp_path, SAMPLE)


@pytest.mark.slow
def test_many_edited_bundles_are_never_a_run(bundle: Path, tmp_path: Path) -> None:
    fuzz(bundle, tmp_path, 4000)
