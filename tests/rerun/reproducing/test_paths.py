"""The import path without the original project."""

from __future__ import annotations

from pathlib import Path

from samerun.record.closure import own_folder
from samerun.rerun.reproducing.paths import import_nothing_from


def test_source_of_the_project_goes_and_installed_packages_stay(tmp_path: Path) -> None:
    packages = str(tmp_path / ".venv/lib/python3.11/site-packages")
    path = ["", str(tmp_path), str(tmp_path / "src"), packages, "/usr/lib/python3", str(own_folder().parent)]
    import_nothing_from(tmp_path, path)
    assert path == ["", packages, "/usr/lib/python3", str(own_folder().parent)]


def test_samerun_itself_stays_where_it_is_the_project() -> None:
    path = [str(own_folder().parent)]
    import_nothing_from(own_folder().parent.parent, path)
    assert path == [str(own_folder().parent)]
