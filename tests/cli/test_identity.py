"""`samerun identity`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from samerun.cli.main import run

FIELDS = ["schema", "subject", "id", "experiment", "platform", "experiment_digest", "platform_digest"]
FIELDS += ["is_complete", "secrets"]
RECIPE = "trainer: supervised\nsteps: 2\ntask: {kind: digits}\nmodel: {kind: mlp}\n"


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert run(["identity", *arguments, "--json", "-q"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_a_recipes_facts_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "digits")
    assert list(found) == FIELDS
    assert len(str(found["id"])) == 16
    assert not found["is_complete"]


def test_an_aside_setting_moves_nothing_and_an_identity_one_moves_the_id(capsys: pytest.CaptureFixture[str]) -> None:
    plain = answer(capsys, "digits")
    aside = answer(capsys, "digits", "-s", "checkpoint.every=7", "-s", "name=other")
    moved = answer(capsys, "digits", "-s", "batch_size=65")
    assert aside["id"] == plain["id"]
    assert moved["id"] != plain["id"]
    assert moved["platform_digest"] == plain["platform_digest"]


def test_a_seed_that_will_be_drawn_leaves_the_id_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text(RECIPE)
    assert answer(capsys, str(tmp_path / "a.yaml"))["id"] is None
    assert answer(capsys, str(tmp_path / "a.yaml"), "-s", "seed=3")["id"] is not None


def test_a_runs_identity_is_that_of_its_folder(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder,) = (made / "runs").glob("first-*")
    found = answer(capsys, str(folder))
    stored = json.loads((folder / "identity.json").read_bytes())
    assert (found["id"], found["is_complete"]) == (stored["id"], True)


def test_the_text_lists_fact_by_fact(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["identity", "digits"]) == 0
    captured = capsys.readouterr()
    assert "  config.optimizer.learning_rate" in captured.out
    assert "  threads" in captured.out
    assert "join the identity when the run starts" in captured.err


def test_a_script_is_no_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["identity", "train.py"]) == 2
    assert "SR-IDENTITY-001" in capsys.readouterr().err


def test_no_torch_is_loaded() -> None:
    code = (
        "import sys; from samerun.cli.main import run; run(['identity', 'digits', '-q']);"
        "sys.exit('torch' if 'torch' in sys.modules else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
