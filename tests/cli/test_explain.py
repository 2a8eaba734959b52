"""`samerun explain`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from samerun.cli.main import run


def test_a_code_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "sr-cli-001"]) == 0
    assert capsys.readouterr().out.startswith("SR-CLI-001: there is no such verb\n")
    assert run(["explain", "SR-CLI-001", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == ["schema", "code", "title", "means", "do"]


def test_a_code_that_is_none_is_no_match(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "SR-CLI-999"]) == 5
    assert "SR-EXPLAIN-001" in capsys.readouterr().err
    assert run(["explain", "SR-NOPE-1"]) == 5
    assert "no error code SR-NOPE-1" in capsys.readouterr().err


def test_the_meaning_of_a_setting_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "digits", "task.test_fraction"]) == 0
    assert "    Share of the items in the split `test`." in capsys.readouterr().out.splitlines()
    assert run(["explain", "digits"]) == 0
    assert "Share of the items" not in capsys.readouterr().out
    assert run(["explain", "digits", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["settings"]
    assert [row["path"] for row in rows if not row["meaning"]] == []


def test_each_value_says_which_line_set_it_and_where_it_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "digits", "-s", "batch_size=32"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert "-s batch_size=32" in lines["batch_size"] and lines["batch_size"].endswith("experiment")
    assert "recipe (digits.yaml:" in lines["trainer"]
    assert "aside: how far to go" in lines["steps"]


def test_one_setting_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "digits", "optimizer.learning_rate", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["settings"]
    assert list(row) == ["path", "value", "layer", "where", "counts_in", "reason", "meaning"]
    assert run(["explain", "digits", "optimizer.learning_rat"]) == 5
    assert "optimizer.learning_rate" in capsys.readouterr().err


def test_a_wrong_recipe_is_refused_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text("trainer: supervised\nbach_size: 3\ntask: {kind: digits}\nmodel: {kind: mlp}\n")
    assert run(["explain", str(tmp_path / "a.yaml")]) == 2
    err = capsys.readouterr().err
    assert "a.yaml:2" in err and "batch_size" in err and "steps" in err


def test_of_a_script_it_is_said_where_its_settings_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "loop.py").write_text("import samerun\n")
    assert run(["explain", str(tmp_path / "loop.py")]) == 2
    err = capsys.readouterr().err
    assert "loop.py is a script: its settings are known when it runs" in err
    assert "--stop-after 0, then: samerun identity @last" in err


@pytest.mark.parametrize("subject", ["SR-CLI-001", "digits"])
def test_neither_loads_torch_nor_numpy(subject: str) -> None:
    code = (
        f"import sys; from samerun.cli.main import run; run(['explain', '{subject}']);"
        "sys.exit(' '.join({'torch', 'numpy'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
