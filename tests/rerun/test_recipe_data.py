"""What a run of a recipe would record of its data."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.errors import UsageError
from samerun.record.data import read_data
from samerun.record.reader import RunRecord
from samerun.rerun.recipe_data import recipe_data
from samerun.rerun.train import train

TABLE = """
trainer: supervised
seed: 1
steps: 1
task: {kind: table, path: rows.csv, label: kind}
model: {kind: mlp, hidden: [4]}
schedule: {kind: constant}
batch_size: 4
"""
TEXT = """
trainer: supervised
seed: 1
steps: 1
task: {kind: text, path: texts, window: 8}
model: {kind: gpt, layers: 1, heads: 1, width: 8}
schedule: {kind: constant}
batch_size: 4
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    rows = [f"{number},{'ab'[number % 2]}" for number in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(["x,kind", *rows]) + "\n")
    (tmp_path / "texts").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / "texts" / name).write_text(f"{name} says something " * 40)
    (tmp_path / "table.yaml").write_text(TABLE)
    (tmp_path / "text.yaml").write_text(TEXT)
    return tmp_path


@pytest.mark.parametrize("recipe", ["table.yaml", "text.yaml", "digits"])
def test_it_is_what_the_run_records(project: Path, recipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    settings = ["steps=1", "seed=1", "schedule.kind=constant"] if recipe == "digits" else []
    found = recipe_data(recipe, settings)
    run = train(recipe, settings, quiet=True).folder
    assert found.inputs == RunRecord.open(run).identity.experiment["inputs"]
    recorded = read_data(run)
    if recipe == "text.yaml":
        assert recorded.folders["input/texts"].files == {entry.id: entry.sha256 for entry in found.manifest.entries}
        assert found.manifest.digest == found.inputs["input/texts"]
    elif recipe == "table.yaml":
        assert [entry.sha256 for entry in found.manifest.entries] == [found.inputs["input/rows.csv"]]
    else:
        (entry,) = found.manifest.entries
        assert (entry.id, entry.sha256) == ("dataset/data", found.inputs["dataset/data"]) and entry.size > 100_000


def test_a_script_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="SR-DATA-036"):
        recipe_data("train.py")
