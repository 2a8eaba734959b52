"""A further interpreter has asserts where this one has them, and imports from where this one does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from samerun.base import interpreter


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_new_interpreter_has_the_asserts_of_this_one(level: int) -> None:
    program = "from samerun.base.interpreter import command; print(command('a.b', 'c')[1:])"
    options = ["-O"] * level
    done = subprocess.run([sys.executable, *options, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([*options, "-P", "-m", "a.b", "c"])


def test_the_working_folder_shadows_nothing_and_the_import_path_is_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('shadowed')\n")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "handed_on.py").write_text("import json; print(json.__name__)\n")
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))
    environ = {"PYTHONPATH": interpreter.import_path()}
    command = interpreter.command("handed_on")
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("json\n", "")
