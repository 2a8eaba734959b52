"""Which code a record means on this machine, and which it may run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.base.digest import sha256
from samerun.errors import MissingError, RefusedError
from samerun.record import layout
from samerun.record.bundle.marker import Marker, write_marker
from samerun.record.manifest import Entry
from samerun.record.reader import RunRecord
from samerun.record.resolved import ResolvedConfig, write_config
from samerun.record.source import RULE, SourceFile, gather
from samerun.record.source_document import write_source
from samerun.rerun.origin import is_from_elsewhere, origin_of

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
    with pytest.raises(MissingError, match="SR-RESUME-003") as caught:
        origin_of(record(Entry("script", ("--token=[redacted]",), "train.py"), files=SCRIPT))
    # With its name, since another one begins another run.
    assert caught.value.do == "samerun train train.py --name tiny -- with the same arguments"


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


def unpacked(made: Any) -> Any:
    """Make the folder one that came out of a bundle."""
    write_marker(made.folder, Marker("sha256:0"))
    (made.folder / layout.LOCAL).unlink()
    return RunRecord.open(made.folder)


@pytest.mark.parametrize("place", ["", "src/"])
def test_a_part_that_lies_in_a_run_folder_needs_trust(record: Any, tmp_path: Path, place: str) -> None:
    made = record(Entry("recipe", (), "recipe.yaml"))
    inside = tmp_path / "project" / place / "brought"
    inside.mkdir(parents=True)
    (inside / "evil.py").touch()
    config = ResolvedConfig({"model": {"kind": "brought.evil:PART"}}, {}, {}, "sha256:0")
    write_config(made.folder, config, None)
    origin_of(RunRecord.open(made.folder))
    (inside / layout.MANIFEST).touch()
    with pytest.raises(RefusedError, match="SR-RESUME-004"):
        origin_of(RunRecord.open(made.folder))
    origin_of(RunRecord.open(made.folder), trust=True)


@pytest.mark.parametrize("entry", [Entry("script", (), "train.py"), Entry("recipe", (), "digits.yaml")])
def test_a_run_from_a_bundle_runs_no_code_of_its_own_without_trust_though_the_same_code_is_here(
    record: Any, entry: Entry
) -> None:
    made = unpacked(record(entry, files=SCRIPT))
    with pytest.raises(RefusedError, match="SR-RESUME-004") as caught:
        origin_of(made)
    assert "train.py" in str(caught.value) and "--trust" in caught.value.do
    assert origin_of(made, trust=True)


def test_a_run_without_its_local_file_was_made_elsewhere(record: Any) -> None:
    made = record(files=SCRIPT)
    (made.folder / layout.LOCAL).unlink()
    assert is_from_elsewhere(made)
    with pytest.raises(RefusedError, match="SR-RESUME-004"):
        origin_of(made)


def test_a_run_from_a_bundle_stays_one_when_a_process_here_went_on_with_it(record: Any) -> None:
    made = record(files=SCRIPT)
    assert not is_from_elsewhere(made)
    write_marker(made.folder, Marker("sha256:0"))
    assert is_from_elsewhere(made)


def test_a_part_that_settings_name_is_code_and_an_installed_one_is_not(record: Any) -> None:
    made = unpacked(record(Entry("recipe", (), "digits.yaml")))
    assert origin_of(made).script is None
    write_config(made.folder, ResolvedConfig({"model": {"kind": "os:system"}}, {}, {}, "sha256:0"), None)
    with pytest.raises(RefusedError, match="os:system"):
        origin_of(RunRecord.open(made.folder))


def test_a_trusted_script_that_is_not_here_may_be_gone_where_its_snapshot_will_do(record: Any) -> None:
    made = unpacked(record(Entry("script", (), "gone.py")))
    with pytest.raises(MissingError, match="SR-RESUME-002"):
        origin_of(made, trust=True)
    assert origin_of(made, trust=True, may_be_gone=True).script == Path.cwd() / "gone.py"


def test_a_file_that_a_rule_names_is_code_of_a_run_from_elsewhere(record: Any, tmp_path: Path) -> None:
    made = record(Entry("recipe", (), "digits.yaml"))
    file = SourceFile(RULE, "numpy.py", "bytes", sha256(b""), sha256(b""), 0, text=b"")
    write_source(made.folder, gather(tmp_path / "project").with_ruled([file]))
    with pytest.raises(RefusedError, match=r"code: numpy\.py"):
        origin_of(unpacked(made))
