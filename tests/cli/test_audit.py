"""`samerun audit`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from samerun.cli.main import run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text("import random\nrandom.seed()\n")
    (tmp_path / "clean.py").write_text("import random  # samerun: allow[SR102] gone\n")
    (tmp_path / ".venv").mkdir()
    return tmp_path


def test_findings_are_exit_1_with_place_and_advice(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", str(project)]) == 1
    out = capsys.readouterr().out
    assert "train.py:2:1: SR102 error: random.seed() takes its seed from the operating system" in out
    assert "    do: Use run.stream" in out and ".venv: hidden" in out
    assert out.splitlines()[-1] == "2 findings in 2 files: SR102 1, SR191 1"


def test_nothing_found_is_exit_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.py").write_text("x = 1")
    assert run(["audit", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "0 findings in 1 file\n"


def test_only_findings_are_said_when_quiet(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", str(project / "train.py"), "-q"]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_a_finding_is_one_line_whatever_the_file_is_called(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "two\nlines.py").write_text("import random\nrandom.seed()")
    assert run(["audit", str(tmp_path), "-q"]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_the_document_is_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", str(project), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["schema", "findings", "counts", "files", "suppressed", "skipped"]
    assert document["schema"] == "samerun.audit/1" and document["files"] == 2
    keys = ["code", "grade", "path", "cell", "line", "column", "what", "do"]
    assert [list(one) for one in document["findings"]] == [keys, keys]


def test_a_path_that_does_not_exist_is_no_match(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "nowhere"]) == 5
    assert "SR-AUDIT-001" in capsys.readouterr().err


def test_an_empty_folder_is_no_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", str(tmp_path)]) == 5
    assert "SR-AUDIT-002" in capsys.readouterr().err


def test_a_path_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit"]) == 2
    assert "SR-CLI-003" in capsys.readouterr().err


def test_the_code_of_a_finding_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "sr121"]) == 0
    assert capsys.readouterr().out.startswith("SR121: the order of a set\n")
    assert run(["explain", "SR199"]) == 5


def test_an_audit_loads_neither_torch_nor_numpy(project: Path) -> None:
    program = "import sys\nfrom samerun.cli.main import run\nrun(['audit', sys.argv[1], '-q'])\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program, str(project)], capture_output=True, text=True, check=True)
    assert not {"torch", "numpy", "pydantic"} & set(done.stdout.split())
