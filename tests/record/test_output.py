"""Where an answer may be written: over plain files, and never into a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.errors import UsageError
from samerun.record.output import check_output

MakeRun = Callable[..., Path]


def test_a_new_file_and_one_that_may_be_replaced_are_taken(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("{}")
    check_output(tmp_path / "new.json")
    check_output(tmp_path / "old.json")
    (tmp_path / "runs").mkdir()
    check_output(tmp_path / "runs" / "beside-the-runs.json")


@pytest.mark.parametrize("name", ["metrics.jsonl", "new.json", "checkpoints/new.json"])
@pytest.mark.parametrize("through_link", [False, True])
def test_no_file_of_a_run_is_ever_written_over(
    make_run: MakeRun, tmp_path: Path, name: str, through_link: bool
) -> None:
    run = make_run("first", "1")
    (run / "checkpoints").mkdir(exist_ok=True)
    if through_link:
        (tmp_path / "link").symlink_to(run)
        run = tmp_path / "link"
    with pytest.raises(UsageError) as refused:
        check_output(run / name)
    assert refused.value.code == "SR-RECORD-033"


@pytest.mark.parametrize("kind", ["no folder", "a folder", "a link", "a pipe", "below a file"])
def test_what_no_answer_can_replace_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "place"
    match kind:
        case "no folder":
            path = tmp_path / "missing" / "place"
        case "a folder":
            path.mkdir()
        case "a link":
            (tmp_path / "file").touch()
            path.symlink_to(tmp_path / "file")
        case "a pipe":
            os.mkfifo(path)
        case "below a file":
            path.touch()
            path /= "place"
    with pytest.raises(UsageError) as refused:
        check_output(path)
    assert refused.value.code == "SR-RECORD-034"
