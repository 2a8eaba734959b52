"""The code of a run in a folder of its own: byte for byte or named as lost, and run only where it is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.base.digest import sha256
from samerun.errors import RefusedError
from samerun.record import layout
from samerun.record.bundle.marker import Marker, write_marker
from samerun.record.manifest import Entry
from samerun.record.project import project_root
from samerun.record.reader import RunRecord
from samerun.record.resolved import ResolvedConfig, write_config
from samerun.record.source import RULE, SourceFile, gather
from samerun.record.source_document import write_source
from samerun.rerun.reproducing.source import check_code_trust, restore_code

SCRIPT = {"train.py": "import samerun, other\n", "other.py": "RATE = 1\n"}
SECRET = "TOKEN = 'hf_abcdefghijklmnopqrstuvwxyz01234567'\n"


def test_the_restored_code_is_a_project_of_its_own_with_the_same_bytes(record: Any, tmp_path: Path) -> None:
    made = record(Entry("script", (), "train.py"), files=SCRIPT)
    (tmp_path / "project/other.py").write_text("RATE = 2\n")
    project = tmp_path / "project/new"
    assert restore_code(made, project).lost == ()
    assert {name: (project / name).read_text() for name in SCRIPT} == SCRIPT
    assert project_root(project / "train.py") == project


def test_code_without_its_secret_is_lost_unless_it_lies_where_it_did(record: Any, tmp_path: Path) -> None:
    made = record(Entry("script", (), "train.py"), files={**SCRIPT, "other.py": SECRET})
    assert restore_code(made, tmp_path / "a").lost == ()
    assert (tmp_path / "a/other.py").read_text() == SECRET
    (tmp_path / "project/other.py").unlink()
    (lost,) = restore_code(made, tmp_path / "b").lost
    assert (lost.kind, lost.name, lost.why) == ("secret", "other.py", "a secret that stood in it was not stored")


def test_code_of_this_project_needs_no_trust_and_other_code_does(record: Any, tmp_path: Path) -> None:
    made = record(Entry("script", (), "train.py"), files=SCRIPT)
    check_code_trust(made, trust=False)
    (tmp_path / "project/other.py").write_text("RATE = 2\n")
    with pytest.raises(RefusedError, match="SR-REPRODUCE-003") as refusal:
        check_code_trust(made, trust=False)
    assert refusal.value.evidence == ("not here with these bytes: other.py",)
    check_code_trust(made, trust=True)


def test_a_foreign_run_is_compared_with_the_code_that_is_here(
    record: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = record(Entry("script", (), "train.py"), files=SCRIPT, local={"root": str(tmp_path / "elsewhere")})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RefusedError, match="SR-REPRODUCE-003"):
        check_code_trust(made, trust=False)
    monkeypatch.chdir(tmp_path / "project")
    check_code_trust(made, trust=False)


def test_a_run_from_elsewhere_is_refused_whatever_lies_here_under_its_names(
    record: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = record(Entry("script", ("--delete-all",), "train.py"), files=SCRIPT)
    (made.folder / layout.LOCAL).unlink()
    monkeypatch.chdir(tmp_path / "project")
    with pytest.raises(RefusedError, match="SR-REPRODUCE-003") as refusal:
        check_code_trust(RunRecord.open(made.folder), trust=False)
    assert refusal.value.evidence == ("came from elsewhere: train.py",)


def test_files_that_rules_name_need_trust_too_since_the_new_folder_is_imported_from(
    record: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project/pyproject.toml").write_text('[tool.samerun]\ninclude = ["sitecustomize.py"]\n')
    (tmp_path / "project/sitecustomize.py").write_text("print('run')\n")
    made = record(Entry("recipe", (), "recipe.yaml"))
    (made.folder / layout.LOCAL).unlink()
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    made.folder.parent.rename(tmp_path / "other/runs")
    brought = RunRecord.open(tmp_path / "other/runs" / made.folder.name)
    with pytest.raises(RefusedError, match="SR-REPRODUCE-003") as refusal:
        check_code_trust(brought, trust=False)
    assert refusal.value.evidence == ("came from elsewhere: sitecustomize.py",)
    check_code_trust(brought, trust=True)


def test_code_that_lies_in_a_run_folder_is_not_this_projects(record: Any, tmp_path: Path) -> None:
    (tmp_path / "project/brought").mkdir()
    made = record(Entry("recipe", (), "recipe.yaml"), files={"brought/evil.py": "RATE = 1\n"})
    check_code_trust(made, trust=False)
    (tmp_path / "project/brought" / layout.MANIFEST).touch()
    with pytest.raises(RefusedError, match="SR-REPRODUCE-003"):
        check_code_trust(made, trust=False)


def test_a_run_without_code_of_its_own_needs_no_trust(record: Any) -> None:
    check_code_trust(record(Entry("recipe", (), "recipe.yaml"), local={"root": "/elsewhere"}), trust=False)


def ruled(made: Any, project: Path, label: str, text: str) -> RunRecord:
    """Add a file to the record as a rule of its project would, whether or not it lies there."""
    data = text.encode()
    file = SourceFile(RULE, label, "bytes", sha256(data), sha256(data), len(data), text=data)
    write_source(made.folder, gather(project).with_ruled([file]))
    return RunRecord.open(made.folder)


def unpacked(made: Any) -> RunRecord:
    """Make the folder one that came out of a bundle."""
    write_marker(made.folder, Marker("sha256:0"))
    (made.folder / layout.LOCAL).unlink()
    return RunRecord.open(made.folder)


def test_what_a_rule_names_is_restored_where_code_is_imported_from_and_needs_trust(record: Any, tmp_path: Path) -> None:
    recipe = Entry("recipe", (), "digits")
    made = ruled(record(recipe), tmp_path / "project", "sitecustomize.py", "print()\n")
    with pytest.raises(RefusedError, match="SR-REPRODUCE-003") as refusal:
        check_code_trust(made, trust=False)
    assert refusal.value.evidence == ("not here with these bytes: sitecustomize.py",)
    (tmp_path / "project/sitecustomize.py").write_text("print()\n")
    check_code_trust(made, trust=False)


def test_all_code_of_a_run_from_elsewhere_needs_trust_though_the_same_is_here(record: Any, tmp_path: Path) -> None:
    made = unpacked(ruled(record(Entry("recipe", (), "digits")), tmp_path / "project", "numpy.py", "print()\n"))
    (tmp_path / "project/numpy.py").write_text("print()\n")
    with pytest.raises(RefusedError, match=r"came from elsewhere: numpy\.py"):
        check_code_trust(made, trust=False)
    check_code_trust(made, trust=True)


def test_a_part_that_the_settings_of_a_run_from_elsewhere_name_needs_trust(record: Any) -> None:
    made = unpacked(record(Entry("recipe", (), "digits")))
    check_code_trust(made, trust=False)
    write_config(made.folder, ResolvedConfig({"model": {"kind": "os:system"}}, {}, {}, "sha256:0"), None)
    with pytest.raises(RefusedError, match="os:system"):
        check_code_trust(RunRecord.open(made.folder), trust=False)
