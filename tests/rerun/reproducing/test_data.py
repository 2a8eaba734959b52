"""Where data lies: where the run found it, in the folder that is named, or nowhere, and then it is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.base.digest import sha256
from samerun.errors import UsageError
from samerun.record import layout
from samerun.record.bundle.marker import Marker, write_marker
from samerun.record.local import values_of
from samerun.record.manifest import Entry
from samerun.record.reader import RunRecord
from samerun.record.resolved import ResolvedConfig, write_config
from samerun.rerun.reproducing.data import data_place, put_data


@pytest.fixture
def recipe(record: Any) -> Any:
    """A record of a recipe whose task reads `path`."""

    def make(path: str | None, **wishes: Any) -> Any:
        made = record(Entry("recipe", (), "recipe.yaml"), **wishes)
        task = {"kind": "table"} if path is None else {"kind": "table", "path": path}
        write_config(made.folder, ResolvedConfig({"task": task}, {}, {}, "sha256:0"), None)
        return made

    return make


def test_data_stays_where_the_run_found_it(recipe: Any, tmp_path: Path) -> None:
    made = recipe("data/rows.csv")
    (tmp_path / "project/data").mkdir()
    (tmp_path / "project/data/rows.csv").touch()
    found = data_place(made, tmp_path / "new", None)
    assert (found.root, found.settings, found.missing) == (tmp_path / "project", (), ())


@pytest.mark.parametrize("given", ["other", "other/data", "other/data/rows.csv"])
def test_a_named_folder_is_taken_however_it_is_meant(recipe: Any, tmp_path: Path, given: str) -> None:
    made = recipe("data/rows.csv")
    (tmp_path / "other/data").mkdir(parents=True)
    (tmp_path / "other/data/rows.csv").touch()
    found = data_place(made, tmp_path / "new", tmp_path / given)
    wanted = () if given == "other" else (f"task.path={tmp_path / 'other/data/rows.csv'}",)
    assert (found.root, found.settings, found.missing) == (tmp_path / given, wanted, ())


@pytest.mark.parametrize("kind", ["recipe", "script"])
def test_a_folder_that_is_named_from_here_is_the_same_from_the_new_folder(
    recipe: Any, record: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    made = recipe("data/rows.csv") if kind == "recipe" else record()
    (tmp_path / "other/data").mkdir(parents=True)
    (tmp_path / "other/data/rows.csv").touch()
    monkeypatch.chdir(tmp_path)
    assert data_place(made, tmp_path / "new", Path("other")).root == tmp_path / "other"


def test_an_absolute_path_of_another_machine_is_found_by_its_name(recipe: Any, tmp_path: Path) -> None:
    made = recipe("/nowhere/rows.csv")
    (tmp_path / "rows.csv").touch()
    assert data_place(made, tmp_path / "new", tmp_path).settings == (f"task.path={tmp_path / 'rows.csv'}",)


def test_data_that_is_nowhere_is_named_with_the_places(recipe: Any, tmp_path: Path) -> None:
    found = data_place(recipe("rows.csv", local={"root": "/gone"}), tmp_path / "new", None)
    (missing,) = found.missing
    assert (missing.kind, missing.name, missing.here) == ("data", "rows.csv", None)
    assert missing.why == "not found (/gone/rows.csv); name its folder with --data DIR"


@pytest.mark.parametrize("path", [None, "samerun:words.txt"])
def test_data_inside_a_package_is_not_looked_for(recipe: Any, tmp_path: Path, path: str | None) -> None:
    assert data_place(recipe(path), tmp_path / "new", None).missing == ()


def test_a_script_is_started_where_it_was_else_in_its_new_folder(record: Any, tmp_path: Path) -> None:
    made = record(local={"cwd": str(tmp_path)})
    assert data_place(made, tmp_path / "new", None).root == tmp_path
    assert data_place(made, tmp_path / "new", tmp_path / "project").root == tmp_path / "project"


def test_a_script_of_another_machine_is_started_in_its_new_folder(record: Any, tmp_path: Path) -> None:
    made = record(local={"cwd": "/gone", "root": "/gone"})
    assert data_place(made, tmp_path / "new", None).root == tmp_path / "new"


def test_a_folder_that_is_not_there_is_refused(record: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="SR-REPRODUCE-007"):
        data_place(record(), tmp_path / "new", tmp_path / "gone")


def unpacked(made: Any, label: str) -> RunRecord:
    """Make the folder one that came out of a bundle with one file of data."""
    path = made.folder / layout.UNPACKED_DATA / label
    path.parent.mkdir(parents=True)
    path.write_text("a,b\n")
    write_marker(made.folder, Marker("sha256:0", (), {label: sha256(b"a,b\n")}))
    (made.folder / layout.LOCAL).unlink()
    return RunRecord.open(made.folder)


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("data/rows.csv", "data/rows.csv"),
        ("[local path]/set/rows.csv", "rows.csv"),
        ("../rows.csv", "rows.csv"),
        ("data", "data/rows.csv"),
        ("[local path]/set", "set/rows.csv"),
    ],
)
def test_data_that_came_with_the_bundle_is_found(recipe: Any, tmp_path: Path, path: str, label: str) -> None:
    made = unpacked(recipe(path), label)
    found = data_place(made, tmp_path / "new", None)
    folder = (made.folder / layout.UNPACKED_DATA).absolute()
    known = dict([text.split("=") for text in found.settings]) or {"task.path": values_of(made)["task"]["path"]}
    assert found.missing == () and found.root == folder
    here = found.root / known["task.path"]
    assert (here if here.is_file() else here / "rows.csv").resolve() == (folder / label).resolve()


def test_a_named_folder_goes_before_what_came_with_the_bundle(recipe: Any, tmp_path: Path) -> None:
    made = unpacked(recipe("[local path]/set/rows.csv"), "rows.csv")
    (tmp_path / "rows.csv").touch()
    assert data_place(made, tmp_path / "new", tmp_path).settings == (f"task.path={tmp_path / 'rows.csv'}",)


def test_a_script_finds_the_data_that_came_along_in_its_project(record: Any, tmp_path: Path) -> None:
    made = unpacked(record(), "data/rows.csv")
    assert data_place(made, tmp_path / "new", None).root == tmp_path / "new"
    put_data(made, tmp_path / "new")
    assert (tmp_path / "new/data/rows.csv").read_text() == "a,b\n"
