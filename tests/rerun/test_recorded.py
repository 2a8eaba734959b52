"""How a recorded run is made again: with its own code, or with the code that is here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from samerun.base.digest import sha256
from samerun.errors import RefusedError
from samerun.record.bundle.marker import Marker, write_marker
from samerun.record.manifest import Entry
from samerun.record.project import project_root
from samerun.record.reader import RunRecord
from samerun.record.resolved import ResolvedConfig, write_config
from samerun.rerun.recorded import CodeIsLost, making_here, making_of_run, making_restored

SCRIPT = {"train.py": "import samerun\n"}


def test_a_recorded_script_runs_as_it_is_while_it_is_the_same(record: Any, tmp_path: Path) -> None:
    making = making_of_run(record(Entry("script", ("--rate", "2"), "train.py"), files=SCRIPT))
    assert making.recipe == str(tmp_path / "project/train.py")
    assert (making.arguments, making.seed, dict(making.snapshot)) == (("--rate", "2"), 7, {})


def test_code_that_is_imported_from_outside_the_project_is_found_there(
    record: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "shared.py").write_text("RATE = 1\n")
    monkeypatch.syspath_prepend(str(library))
    made = record(Entry("script", (), "train.py"), files={"train.py": "import shared\n"})
    assert dict(making_of_run(made).snapshot) == {}
    (library / "shared.py").write_text("RATE = 2\n")
    with pytest.raises(RefusedError, match="SR-VERIFY-003") as refusal:
        making_of_run(made)
    assert "elsewhere/shared.py" in refusal.value.evidence[0]


def test_a_snapshot_that_is_not_the_code_here_needs_trust_and_then_runs(record: Any, tmp_path: Path) -> None:
    made = record(files=SCRIPT)
    (tmp_path / "project/train.py").write_text("import samerun  # changed\n")
    with pytest.raises(RefusedError, match="SR-VERIFY-003") as refusal:
        making_of_run(made)
    assert "train.py" in refusal.value.evidence[0]
    (tmp_path / "pyproject.toml").touch()  # the snapshot is no part of the project that it is put into
    making = making_of_run(made, trust=True).prepared(tmp_path / "work")
    assert making.recipe == str(tmp_path / "work/project/train.py")
    assert project_root(Path(making.recipe)) == tmp_path / "work/project"
    assert Path(making.recipe).read_text() == SCRIPT["train.py"]
    assert making.home == tmp_path / "project"


@pytest.mark.parametrize(("set_to", "recorded", "wanted"), [(4, 6, 6), (9, 6, 9)])
def test_a_run_that_was_resumed_for_more_steps_is_made_again_as_far(
    record: Any, tmp_path: Path, set_to: int, recorded: int, wanted: int
) -> None:
    made = record(Entry("recipe", (), "recipe.yaml"), steps=recorded)
    write_config(made.folder, ResolvedConfig({"steps": set_to}, {}, {}, "sha256:0"), None)
    making = making_restored(RunRecord.open(made.folder), tmp_path / "project", home=tmp_path)
    assert json.loads(making.document or b"") == {"steps": wanted}


SECRET = "TOKEN = 'hf_abcdefghijklmnopqrstuvwxyz01234567'\n"


@pytest.mark.parametrize("trust", [False, True])
def test_a_snapshot_without_a_secret_cannot_run(record: Any, tmp_path: Path, trust: bool) -> None:
    made = record(files={"train.py": SECRET})
    (tmp_path / "project/train.py").write_text("\n")
    with pytest.raises(CodeIsLost, match="SR-VERIFY-004") as caught:
        making_of_run(made, trust=trust)
    assert caught.value.evidence == ("train.py: a secret that stood in it was not stored",)
    assert "hf_" not in str(caught.value)


def test_code_with_a_secret_is_used_where_it_is_here_as_it_was(record: Any, tmp_path: Path) -> None:
    made = record(files={"train.py": "import samerun, other\n", "other.py": SECRET})
    assert dict(making_of_run(made).snapshot) == {}
    (tmp_path / "project/train.py").write_text("changed = 1\n")
    making = making_of_run(made, trust=True).prepared(tmp_path / "work")
    assert (tmp_path / "work/project/other.py").read_text() == SECRET
    assert Path(making.recipe).read_text() == "import samerun, other\n"


def test_what_is_here_needs_no_snapshot_and_no_trust(record: Any, tmp_path: Path) -> None:
    made = record(Entry("script", ("--rate", "2"), "train.py"), files=SCRIPT)
    (made.folder / "source-files.tar").unlink()
    (tmp_path / "project/train.py").write_text("import samerun  # changed\n")
    making = making_here(made)
    assert Path(making.recipe).read_text() == "import samerun  # changed\n"
    assert (making.arguments, making.seed, dict(making.snapshot)) == (("--rate", "2"), 7, {})


def test_data_that_came_with_a_run_lie_beside_its_code_unless_they_are_here(record: Any, tmp_path: Path) -> None:
    made = record(files={"train.py": "import samerun\n"})
    place = made.folder / "unpacked-data/data/rows.csv"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"a,b\n")
    write_marker(made.folder, Marker("sha256:0", (), {"data/rows.csv": sha256(b"a,b\n")}))
    making = making_of_run(RunRecord.open(made.folder), trust=True)
    assert dict(making.data) == {"data/rows.csv": place}
    prepared = making.prepared(tmp_path / "work")
    assert (tmp_path / "work/project/data/rows.csv").read_bytes() == b"a,b\n"
    assert Path(prepared.recipe) == tmp_path / "work/project/train.py" and prepared.data_root == prepared.project
    (tmp_path / "project/data").mkdir()
    (tmp_path / "project/data/rows.csv").write_bytes(b"changed\n")
    assert dict(making_of_run(RunRecord.open(made.folder), trust=True).data) == dict(making.data)
    (tmp_path / "project/data/rows.csv").write_bytes(b"a,b\n")
    assert dict(making_of_run(RunRecord.open(made.folder), trust=True).data) == {}


@pytest.mark.parametrize(("steps", "wanted"), [(4, 6), (6, 6), (9, 9)])
def test_a_run_that_was_trained_on_is_made_as_far_as_it_went(
    record: Any, tmp_path: Path, steps: int, wanted: int
) -> None:
    made = record(Entry("recipe", (), "recipe.yaml"), steps=6)
    write_config(made.folder, ResolvedConfig({"steps": steps}, {}, {}, "sha256:0"), None)
    making = making_restored(RunRecord.open(made.folder), tmp_path / "new", home=tmp_path)
    assert making.document is not None and json.loads(making.document) == {"steps": wanted}
