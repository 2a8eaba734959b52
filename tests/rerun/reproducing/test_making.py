"""A run made ready: restored, in its own folder, under its own variables, and never from the original project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from samerun.base.sealed import write_sealed
from samerun.record import layout
from samerun.record.identity import Identity, write_identity
from samerun.record.manifest import Entry
from samerun.record.reader import RunRecord
from samerun.rerun.made import Order
from samerun.rerun.reproducing.choice import choose
from samerun.rerun.reproducing.making import Ready, make_ready
from samerun.rerun.surroundings import variables_of

SCRIPT = {"train.py": "import samerun\n"}


def ready(record: Any, work: Path, *, trust: bool = True, data: Path | None = None) -> Ready:
    work.mkdir()
    job = choose(record, here=True, fresh_environment=False, offline=False, trust=trust)
    return make_ready(job, work, data, lambda text: None)


def test_a_script_runs_from_its_restored_source_and_not_from_the_original(record: Any, tmp_path: Path) -> None:
    made = record(Entry("script", ("--rate", "2"), "train.py"), files=SCRIPT)
    making = ready(made, tmp_path / "work").making
    assert making is not None and making.recipe == str(tmp_path / "work/project/train.py")
    assert (making.arguments, making.seed, making.interpreter) == (("--rate", "2"), 7, None)
    assert making.not_from == tmp_path / "project" and making.imports()[0] == tmp_path / "work/project"


def test_a_recipe_is_written_down_as_it_was_resolved_and_keeps_its_name(record: Any, tmp_path: Path) -> None:
    making = ready(record(Entry("recipe", (), "recipe.yaml")), tmp_path / "work").making
    assert making is not None and making.name == "tiny"
    assert (tmp_path / "work/recipe.json").read_text() == '{\n  "rate": 1\n}'
    words = making.command(tmp_path / "runs", Order())
    assert words[words.index("--project") :][:2] == ["--project", str(tmp_path / "work/project")]
    assert words[words.index("--name") :][:2] == ["--name", "tiny"]
    assert words[words.index("--not-from") :][:2] == ["--not-from", str(tmp_path / "project")]


@pytest.mark.parametrize(
    ("entry", "files", "name"),
    [
        (Entry("script", ("--key", "[redacted]"), "train.py"), SCRIPT, "argument 2"),
        (Entry("script", (), "gone.py"), {"gone.py": "KEY = 'hf_abcdefghijklmnopqrstuvwxyz01234567'\n"}, "gone.py"),
    ],
)
def test_what_is_not_stored_is_named_and_nothing_is_made(
    record: Any, tmp_path: Path, entry: Entry, files: dict[str, str], name: str
) -> None:
    made = record(entry, files=files)
    for label in files:
        (tmp_path / "project" / label).unlink()
    found = ready(made, tmp_path / "work")
    assert found.making is None
    assert [(one.kind, one.name) for one in found.lost] == [("secret", name)]


@pytest.fixture
def with_variables(record: Any) -> RunRecord:
    made = record(Entry("script", (), "train.py"), files=SCRIPT)
    document = made.document(layout.ENVIRONMENT)
    document["variables"] = {
        "LANG": "C",
        "TZ": "UTC",
        "PYTHONHASHSEED": "3",
        "MKL_CBWR": "AVX2",
        "TORCH_X": "[redacted]",
    }
    write_sealed(made.folder / layout.ENVIRONMENT, document)
    facts = {"torch": "2.13.0", "variables": {"MKL_CBWR": "AVX2", "OMP_TOOL_LIBRARIES": "/evil.so"}}
    write_identity(made.folder, Identity({"seed": "7"}, facts))
    return RunRecord.open(made.folder)


def test_variables_are_those_of_the_record(
    with_variables: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"LC_ALL": "de", "OMP_SCHEDULE": "static", "PYTHONPATH": "/mine"}.items():
        monkeypatch.setenv(name, value)
    found = variables_of(ready(with_variables, tmp_path / "work").surroundings)
    assert {name: found.get(name) for name in ("LANG", "TZ", "PYTHONHASHSEED", "MKL_CBWR")} == {
        "LANG": "C",
        "TZ": "UTC",
        "PYTHONHASHSEED": "3",
        "MKL_CBWR": "AVX2",
    }
    # What only one of the two documents names was never a variable of the run.
    assert not {"LC_ALL", "OMP_SCHEDULE", "PYTHONPATH", "OMP_TOOL_LIBRARIES"} & found.keys()
    assert found.get("TORCH_X") == os.environ.get("TORCH_X")


def test_a_foreign_record_sets_no_variable_that_chooses_code(
    with_variables: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_sealed(with_variables.folder / layout.LOCAL, {"root": str(tmp_path / "elsewhere")})
    monkeypatch.chdir(tmp_path / "project")
    found = ready(RunRecord.open(with_variables.folder), tmp_path / "work", trust=False).surroundings
    assert "MKL_CBWR" not in found.variables
