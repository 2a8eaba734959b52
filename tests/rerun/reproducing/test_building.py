"""A virtual environment of the recorded distributions: really built, from what the present index has."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from samerun.errors import MissingError
from samerun.rerun.reproducing.building import build_environment

EDITABLE = {"kind": "editable", "url": "[local path]"}


def environment(**distributions: Any) -> dict[str, Any]:
    return {"python": {"version": platform.python_version()}, "distributions": distributions}


@pytest.mark.slow
def test_it_holds_what_was_recorded_and_nothing_of_the_present_one(tmp_path: Path) -> None:
    recorded = environment(
        xxhash={"version": "4.1.0", "origin": None},
        samerun={"version": "0.1.0", "origin": EDITABLE},
        mine={"version": "0.1", "origin": EDITABLE},
    )
    said: list[str] = []
    built = build_environment(tmp_path, recorded, "head", said.append)
    assert [(one.name, one.here) for one in built.unmatched] == [("mine", None), ("samerun", "its own source")]
    listing = [str(built.interpreter), "-I", "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"]
    names = subprocess.run(listing, capture_output=True, text=True, check=True).stdout
    assert "xxhash==4.1.0" in names and "samerun==0.1.0" in names and "numpy" not in names
    config = (tmp_path / "environment/pyvenv.cfg").read_text()
    assert "include-system-site-packages = false" in config
    assert "installing samerun's own source, since it was no release" in said


@pytest.mark.slow
def test_a_version_that_the_index_lacks_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="SR-EXPORT-004") as failure:
        build_environment(tmp_path, environment(xxhash={"version": "99.0"}), "head", lambda text: None)
    assert "xxhash==99.0" in "\n".join(failure.value.evidence)


def test_a_python_without_venv_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'ensurepip is not available' >&2; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    with pytest.raises(MissingError, match="SR-REPRODUCE-006") as failure:
        build_environment(tmp_path / "new", environment(), "head", lambda text: None)
    assert failure.value.evidence == ("ensurepip is not available",)
