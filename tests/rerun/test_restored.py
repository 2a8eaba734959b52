"""Code of a run from elsewhere is put where it can run, with trust, and is gone afterwards."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samerun.base.digest import sha256
from samerun.errors import MissingError, RefusedError
from samerun.record import layout
from samerun.record.bundle.marker import Marker, write_marker
from samerun.record.manifest import Entry
from samerun.record.reader import RunRecord
from samerun.rerun.recorded import CodeIsLost, code_of_run
from samerun.rerun.restored import own_code

SCRIPT = {"train.py": "import samerun\n"}


@pytest.fixture
def unpacked(record: Callable[..., RunRecord], tmp_path: Path) -> Callable[..., RunRecord]:
    """Make a run whose project is gone, as if it had come out of a bundle with these data."""

    def make(data: bytes | None = None, **wishes: Any) -> RunRecord:
        made = record(**{"files": SCRIPT, **wishes})
        labels = {} if data is None else {"data/rows.csv": sha256(data)}
        for label in labels:
            path = made.folder / layout.UNPACKED_DATA / label
            path.parent.mkdir(parents=True)
            path.write_bytes(data or b"")
        write_marker(made.folder, Marker("sha256:0", (), labels))
        (made.folder / layout.LOCAL).unlink()
        (tmp_path / "project/train.py").unlink()
        return RunRecord.open(made.folder)

    return make


def test_the_snapshot_is_there_while_it_is_needed(unpacked: Any) -> None:
    made = unpacked()
    with own_code(made, trust=True) as origin:
        assert origin.script.read_text() == SCRIPT["train.py"] and origin.script.parent == origin.root
        folder = origin.root.parent
        assert folder.name.startswith(".") and folder.parent == made.folder.parent
    assert not folder.exists()


def test_what_a_rule_names_and_what_came_from_outside_is_there_and_found(
    unpacked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library/planted_far.py").write_text("RATE = 3\n")
    monkeypatch.syspath_prepend(str(tmp_path / "library"))
    (tmp_path / "project/pyproject.toml").write_text('[tool.samerun]\ninclude = ["rates.txt"]\n')
    (tmp_path / "project/rates.txt").write_text("3")
    made = unpacked(files={"train.py": "import samerun, planted_far\n"})
    (tmp_path / "library/planted_far.py").unlink()
    (tmp_path / "project/rates.txt").unlink()
    before = sys.path[:]
    with own_code(made, trust=True) as origin:
        assert (origin.root / "rates.txt").read_text() == "3"
        found = importlib.util.find_spec("planted_far")
        assert found is not None and found.origin == str((origin.root / "elsewhere/planted_far.py").resolve())
    assert sys.path == before
    making = code_of_run(made, trust=True)
    assert sorted(making.snapshot) == ["elsewhere/planted_far.py", "rates.txt", "train.py"]
    prepared = making.prepared(tmp_path / "work")
    assert prepared.imports() == (tmp_path / "work/project", tmp_path / "work/project/elsewhere")


def test_a_file_of_a_rule_alone_is_restored_for_a_run_from_elsewhere(unpacked: Any, tmp_path: Path) -> None:
    (tmp_path / "project/pyproject.toml").write_text('[tool.samerun]\ninclude = ["rates.txt"]\n')
    (tmp_path / "project/rates.txt").write_text("3")
    made = unpacked()
    (tmp_path / "project/train.py").write_text(SCRIPT["train.py"])
    assert dict(code_of_run(made, trust=True).snapshot) == {}
    (tmp_path / "project/rates.txt").write_text("4")
    assert code_of_run(made, trust=True).snapshot["rates.txt"] == b"3"


def test_without_trust_nothing_is_put_anywhere(unpacked: Any) -> None:
    made = unpacked()
    with pytest.raises(RefusedError, match="SR-RESUME-004"), own_code(made):
        raise AssertionError
    assert [path.name for path in made.folder.parent.iterdir()] == [made.name]


def test_data_that_came_along_lie_where_the_settings_look_for_them(unpacked: Any) -> None:
    with own_code(unpacked(b"a,b\n"), trust=True) as origin:
        assert (origin.root / "data/rows.csv").read_bytes() == b"a,b\n"


def test_code_that_is_here_is_not_put_a_second_time(unpacked: Any, tmp_path: Path) -> None:
    made = unpacked()
    (tmp_path / "project/train.py").write_text(SCRIPT["train.py"])
    with own_code(made, trust=True) as origin:
        assert origin.root == tmp_path / "project"


def test_a_place_that_is_given_and_a_run_of_ones_own_stay_as_they_are(record: Any, tmp_path: Path) -> None:
    made = record(files=SCRIPT)
    with own_code(made) as origin:
        assert origin.root == tmp_path / "project"
    (tmp_path / "other").mkdir()
    with pytest.raises(MissingError, match="SR-RESUME-002"), own_code(made, root=tmp_path / "other"):
        raise AssertionError


def test_code_that_was_stored_without_a_secret_is_lost(unpacked: Any) -> None:
    made = unpacked(files={"train.py": "key = 'ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2 + "'\n"})
    with pytest.raises(CodeIsLost, match="SR-VERIFY-004"), own_code(made, trust=True):
        raise AssertionError


def test_code_of_a_recipe_is_restored_without_asking_its_parts_first(unpacked: Any, tmp_path: Path) -> None:
    made = unpacked(entry=Entry("recipe", (), "rows.yaml"))
    place = code_of_run(made, trust=True).prepared(tmp_path / "work").project
    assert place is not None and (place / "train.py").read_text() == SCRIPT["train.py"]
