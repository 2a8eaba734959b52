"""The code of a run in a folder of its own: byte for byte or named as lost, and run only where it is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.errors import RefusedError
from samerun.record import layout
from samerun.record.manifest import Entry
from samerun.record.project import project_root
from samerun.record.reader import RunRecord
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
    assert refusal.value.evidence == ("code: train.py",)


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
    assert refusal.value.evidence == ("not here with these bytes: sitecustomize.py",)
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
