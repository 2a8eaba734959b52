"""Fresh processes, and what becomes of their answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from samerun.errors import ConfigError, InternalError, MissingError, NoMatchError, UsageError
from samerun.rerun.child import run_samerun
from samerun.rerun.surroundings import SURROUNDINGS


def test_a_child_answers_with_its_document(tmp_path: Path) -> None:
    outcome = run_samerun(["ls", "--runs", str(tmp_path)], SURROUNDINGS[1], tmp_path)
    assert outcome.exit_code == 0
    assert outcome.document == {"schema": "samerun.ls/1", "runs": []}


def test_a_childs_error_is_raised_as_its_own(tmp_path: Path) -> None:
    with pytest.raises(NoMatchError, match="SR-RECORD-031") as refusal:
        run_samerun(["show", "nobody", "--runs", str(tmp_path)], SURROUNDINGS[0], tmp_path)
    assert refusal.value.do == "samerun ls"


@pytest.mark.slow
def test_a_childs_error_is_of_the_class_that_it_was_there(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a,label\n1,2\n1\n")
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "table.yaml").write_text(
        "trainer: supervised\ntask: {kind: table, path: rows.csv, label: label}\nmodel: {kind: mlp}\nsteps: 1\n"
    )
    with pytest.raises(ConfigError, match="SR-TASK-005"):
        run_samerun(["train", "table.yaml"], SURROUNDINGS[0], tmp_path)
    with pytest.raises(UsageError, match="SR-CLI-002"):
        run_samerun(["ls", "--jsn"], SURROUNDINGS[0], tmp_path)


def test_a_child_that_dies_without_a_word_is_named_with_its_last_words(tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text(
        "import os, sys\nsys.stderr.write('last words\\n')\nsys.stderr.flush()\nos.abort()\n"
    )
    with pytest.raises(MissingError, match="SR-VERIFY-001") as death:
        run_samerun(["train", "dies.py"], SURROUNDINGS[0], tmp_path)
    assert "signal 6" in death.value.what
    assert "last words" in death.value.evidence


def test_a_script_that_raises_in_a_child_is_told_once_with_its_own_lines(tmp_path: Path) -> None:
    (tmp_path / "raises.py").write_text("def deep():\n    raise ValueError('nothing left')\n\ndeep()\n")
    with pytest.raises(InternalError, match="SR-TRAIN-070") as failure:
        run_samerun(["train", "raises.py"], SURROUNDINGS[0], tmp_path)
    assert not failure.value.shows_traceback
    assert any("raises.py" in line and "in deep" in line for line in failure.value.evidence)
    assert not any("train.py" in line or "runpy" in line for line in failure.value.evidence)
    assert str(failure.value).count("nothing left") == 2  # what it was, and the line of the script


def test_a_child_has_asserts_where_its_parent_has_them(tmp_path: Path) -> None:
    (tmp_path / "says.py").write_text("import os, sys\nsys.stderr.write(f'-O {sys.flags.optimize}')\nos._exit(1)\n")
    program = (
        "import sys; from pathlib import Path; from samerun.rerun.child import run_samerun\n"
        "from samerun.rerun.surroundings import SURROUNDINGS\n"
        "run_samerun(['train', 'says.py'], SURROUNDINGS[0], Path(sys.argv[1]))"
    )
    for level in (0, 2):
        options = ["-O"] * level
        done = subprocess.run(
            [sys.executable, *options, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False
        )
        assert f"-O {level}" in done.stderr


def test_a_child_may_be_sent_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "says.py").write_text("import os, sys\nsys.stderr.write(os.environ['HOME'])\nos._exit(1)\n")
    with pytest.raises(MissingError) as failure:
        run_samerun(["train", "says.py"], SURROUNDINGS[1], tmp_path, tmp_path / "other")
    assert failure.value.evidence == (str(tmp_path / "other/home"),)
