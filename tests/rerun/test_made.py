"""How a training is made again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from samerun.errors import RefusedError
from samerun.record.manifest import Entry
from samerun.record.project import project_root
from samerun.rerun.made import CodeIsLost, Making, making_of_recipe, making_of_run

SCRIPT = {"train.py": "import samerun\n"}


def command(making: Making, **wishes: Any) -> list[str]:
    return making._command(Path("/runs"), wishes.get("stop_after"), wishes.get("checkpoint_every"))


def test_a_recipe_runs_elsewhere_and_a_script_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    recipe = making_of_recipe("a.yaml", ["steps=3"])
    assert (recipe.recipe, recipe.cwd, recipe.project) == (str(tmp_path / "a.yaml"), None, tmp_path)
    script = making_of_recipe("train.py", arguments=["--rate", "1"])
    assert (script.recipe, script.cwd) == (str(tmp_path / "train.py"), tmp_path)
    assert command(script)[-3:] == ["--", "--rate", "1"]
    assert making_of_recipe("digits").recipe == "digits"


def test_the_command_names_everything_that_is_aside(tmp_path: Path) -> None:
    making = Making("a.yaml", ("steps=3",), project=tmp_path).with_seed(9)
    words = command(making, stop_after=2, checkpoint_every=5)
    assert words[:2] == ["train", "a.yaml"]
    for pair in (["-s", "steps=3"], ["-s", "trail.state_every=1"], ["-s", "checkpoint.every=5"]):
        assert any(words[at : at + 2] == pair for at in range(len(words)))
    for pair in (["--stop-after", "2"], ["--seed", "9"], ["--project", str(tmp_path)]):
        assert any(words[at : at + 2] == pair for at in range(len(words)))


def test_a_recorded_script_runs_as_it_is_while_it_is_the_same(record: Any, tmp_path: Path) -> None:
    making = making_of_run(record(Entry("script", ("--rate", "2"), "train.py"), files=SCRIPT))
    assert making.recipe == str(tmp_path / "project/train.py")
    assert (making.arguments, making.seed, dict(making.snapshot)) == (("--rate", "2"), 7, {})


def test_code_that_is_imported_from_outside_the_project_is_found_there(
    record: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "shared.py").write_text("RATE = 1\n")
    monkeypatch.syspath_prepend(str(library))
    made = record(Entry("script", (), "train.py"), files={"train.py": "import shared\n"})
    assert dict(making_of_run(made).snapshot) == {}
    (library / "shared.py").write_text("RATE = 2\n")
    with pytest.raises(RefusedError, match="SR-VERIFY-003") as refusal:
        making_of_run(made)
    assert "elsewhere/shared.py" in refusal.value.evidence[0]


def test_a_snapshot_that_is_not_the_code_here_needs_trust_and_then_runs(record: Any, tmp_path: Path) -> None:
    made = record(files=SCRIPT)
    (tmp_path / "project/train.py").write_text("import samerun  # changed\n")
    with pytest.raises(RefusedError, match="SR-VERIFY-003") as refusal:
        making_of_run(made)
    assert "train.py" in refusal.value.evidence[0]
    (tmp_path / "pyproject.toml").touch()  # the snapshot is no part of the project that it is put into
    making = making_of_run(made, trust=True).prepared(tmp_path / "work")
    assert making.recipe == str(tmp_path / "work/project/train.py")
    assert Path(making.recipe).read_text() == SCRIPT["train.py"]
    assert making.cwd == tmp_path / "project"
    assert project_root(Path(making.recipe)) == tmp_path / "work/project"


SECRET = "TOKEN = 'hf_abcdefghijklmnopqrstuvwxyz01234567'\n"


@pytest.mark.parametrize("trust", [False, True])
def test_a_snapshot_without_a_secret_cannot_run(record: Any, tmp_path: Path, trust: bool) -> None:
    made = record(files={"train.py": SECRET})
    (tmp_path / "project/train.py").write_text("\n")
    with pytest.raises(CodeIsLost, match="SR-VERIFY-004") as caught:
        making_of_run(made, trust=trust)
    assert caught.value.evidence == ("train.py: stored without 1 secret that stood in it",)
    assert "hf_" not in str(caught.value)


def test_code_with_a_secret_is_used_where_it_is_here_as_it_was(record: Any, tmp_path: Path) -> None:
    made = record(files={"train.py": "import samerun, other\n", "other.py": SECRET})
    assert dict(making_of_run(made).snapshot) == {}
    (tmp_path / "project/train.py").write_text("changed = 1\n")
    making = making_of_run(made, trust=True).prepared(tmp_path / "work")
    assert (tmp_path / "work/project/other.py").read_text() == SECRET
    assert Path(making.recipe).read_text() == "import samerun, other\n"


def test_data_is_read_where_the_run_found_it_while_code_comes_from_the_snapshot(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    making = Making("recipe.json", project=tmp_path, document=b"{}", snapshot={"net.py": b""})
    words = command(making.prepared(tmp_path / "work"))
    for pair in (["--project", str(tmp_path / "work/project")], ["--data-root", str(tmp_path)]):
        assert any(words[at : at + 2] == pair for at in range(len(words)))


def test_a_recorded_recipe_is_written_down_as_it_was_resolved(tmp_path: Path) -> None:
    making = Making("recipe.json", document=json.dumps({"steps": 3}).encode())
    (tmp_path / "work").mkdir()
    prepared = making.prepared(tmp_path / "work")
    assert json.loads(Path(prepared.recipe).read_bytes()) == {"steps": 3}
