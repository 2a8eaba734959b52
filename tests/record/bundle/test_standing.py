"""What stands where a bundle would go is told apart and never touched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from samerun.record.bundle.chosen import choose_files
from samerun.record.bundle.opened import open_bundle
from samerun.record.bundle.packing import gather, write_bundle
from samerun.record.bundle.standing import is_there, place_in, publish, taken
from samerun.record.bundle.unpacking import written
from samerun.record.reader import RunRecord


def fine(folder: Path) -> list[str]:
    return []


def test_a_name_that_is_taken_is_not_touched(bundle: Path, tmp_path: Path) -> None:
    runs = tmp_path / "elsewhere"
    with open_bundle(bundle) as opened:
        taken = runs / opened.index.folder
        taken.mkdir(parents=True)
        (taken / "mine").write_text("mine")
        with written(opened, taken, fine) as hidden:
            assert not publish(hidden, taken)
            assert place_in(runs, opened, hidden).name == f"{opened.index.folder}-2"
    assert [path.name for path in taken.iterdir()] == ["mine"]


def test_the_run_that_was_packed_has_what_a_bundle_without_its_checkpoints_brings(
    make_run: Callable[..., Path], tmp_path: Path
) -> None:
    folder = make_run()
    record = RunRecord.open(folder)
    write_bundle(gather(record, choose_files(record, "none"), {}), tmp_path / "x.zip")
    with open_bundle(tmp_path / "x.zip") as opened:
        assert is_there(opened, folder)
        (folder / "checkpoints/step-00000003/checkpoint.json").unlink()
        assert not is_there(opened, folder)


def test_a_refusal_names_the_folder() -> None:
    error = taken(Path("runs/x"))
    assert (error.code, int(error.exit_code)) == ("SR-BUNDLE-016", 3) and "runs/x" in error.what
