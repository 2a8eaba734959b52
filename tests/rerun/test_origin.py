"""Which code a record means on this machine, and which it may run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.errors import MissingError, RefusedError
from samerun.record.manifest import Entry
from samerun.rerun.origin import origin_of

SCRIPT = {"train.py": "import samerun\n"}


def test_the_script_beside_the_runs_is_the_runs_own(record: Any, tmp_path: Path) -> None:
    origin = origin_of(record(files=SCRIPT))
    assert (origin.root, origin.script) == (tmp_path / "project", tmp_path / "project/train.py")


def test_a_moved_project_brings_its_runs_along(record: Any, tmp_path: Path) -> None:
    origin = origin_of(record(files=SCRIPT, local={"root": "/somewhere/else"}))
    assert origin.script == tmp_path / "project/train.py"


def test_a_recipe_needs_no_script(record: Any, tmp_path: Path) -> None:
    origin = origin_of(record(Entry("recipe", (), "digits.yaml")))
    assert (origin.root, origin.script) == (tmp_path / "project", None)


def test_a_script_that_is_not_here_is_missed(record: Any) -> None:
    with pytest.raises(MissingError, match="SR-RESUME-002"):
        origin_of(record(Entry("script", (), "gone.py")))


def test_a_loop_inside_another_program_cannot_be_started(record: Any) -> None:
    with pytest.raises(MissingError, match="SR-RESUME-001"):
        origin_of(record(Entry("loop", (), "notebook.py")))


def test_an_argument_that_was_a_secret_is_not_made_up(record: Any) -> None:
    with pytest.raises(MissingError, match="SR-RESUME-003"):
        origin_of(record(Entry("script", ("--token=[redacted]",), "train.py"), files=SCRIPT))


def test_code_elsewhere_and_code_inside_a_run_need_trust(record: Any, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "evil.py").touch()
    made = record(Entry("script", (), "evil.py"), local={"root": str(elsewhere)})
    with pytest.raises(RefusedError, match="SR-RESUME-004"):
        origin_of(made)
    assert origin_of(made, trust=True).script == elsewhere / "evil.py"


def test_code_that_lies_in_a_run_folder_needs_trust(record: Any) -> None:
    made = record(Entry("script", (), "runs/tiny-0123abcd/evil.py"))
    (made.folder / "evil.py").touch()
    with pytest.raises(RefusedError, match="SR-RESUME-004"):
        origin_of(made)
