"""`pack` in processes: what is printed, and a run that is whole again in another place, with its project gone."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from samerun.record import layout

NET = """
from torch import nn

from samerun.config.parts import Part
from samerun.config.schema import Table

open("it-ran", "w").close()


class Settings(Table):
    width: int = 8


def build(settings, shape, source):
    layers = [nn.Linear(2, settings.width), nn.Tanh(), nn.Linear(settings.width, shape.num_outputs)]
    return nn.Sequential(nn.Flatten(), *layers)


PART = Part(name="net", config=Settings, build="ours:build", description="a model of our own")
"""
RECIPE = """
trainer: supervised
seed: 7
steps: 6
batch_size: 8
task: {kind: table, path: data/rows.csv, label: y}
model: MODEL
evaluate: {every: 3}
checkpoint: {every: 3}
"""


def packed(samerun: Any, made: Path, run: str, out: Path, *options: str) -> dict[str, Any]:
    done = samerun("pack", run, "-o", out, "--json", *options, cwd=made)
    assert done.code == 0, done.err
    document: dict[str, Any] = done.document
    return document


@pytest.mark.slow
def test_a_run_of_the_built_in_recipe_works_in_another_place_without_trust(
    samerun: Any, made: Path, tmp_path: Path
) -> None:
    document = packed(samerun, made, "first", tmp_path / "first.zip", "--checkpoints", "all")
    assert document["schema"] == "samerun.pack/1" and document["left_out"] == [] and document["without"] == []
    done = samerun("unpack", "first.zip", "--json")
    assert (done.code, done.document["schema"], done.document["is_new"]) == (0, "samerun.unpack/1", True)
    run = done.document["run"]
    (original,) = (made / "runs").glob("first-*")
    for command in (
        ("show", run),
        ("verify", run, "--files"),
        ("diff", original, run),
        ("evaluate", run),
        ("replay", run, "--step", "4"),
        ("resume", run, "-s", "steps=8"),
        ("verify", run, "--files"),
    ):
        done = samerun(*command)
        assert done.code == 0, (command, done.out, done.err)
    assert samerun("show", run, "--json").document["step"] == 8


@pytest.mark.slow
def test_a_script_runs_from_its_snapshot_with_trust_alone(samerun: Any, made: Path, tmp_path: Path) -> None:
    packed(samerun, made, "script", tmp_path / "script.zip", "--checkpoints", "0,last")
    run = samerun("unpack", "script.zip", "--json").document["run"]
    for command in (("resume", run), ("replay", run, "--step", "2")):
        done = samerun(*command, "--json")
        assert (done.code, done.error["code"]) == (3, "SR-RESUME-004"), done.out
        assert samerun(*command, "--trust").code == 0
    assert samerun("verify", run, "--files").code == 0
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [Path(run).name]


@pytest.fixture
def project(samerun: Any, tmp_path: Path) -> Iterator[Path]:
    """A project whose runs were packed with their data; it is gone when the test begins."""
    place = tmp_path / "project"
    (place / "data").mkdir(parents=True)
    (place / "pyproject.toml").touch()
    (place / "ours.py").write_text(NET)
    rows = [f"{n / 40},{(n * 7 % 40) / 40},{'low' if n < n * 7 % 40 else 'high'}" for n in range(40)]
    (place / "data/rows.csv").write_text("\n".join(["a,b,y", *rows]))
    plain = RECIPE.replace("MODEL", "{kind: mlp, hidden: [4]}")
    recipes = {
        "own": RECIPE.replace("MODEL", '{kind: "ours:PART", width: 4}'),
        "plain": plain,
        "absolute": plain.replace("data/rows.csv", str(place / "data/rows.csv")),
    }
    for name, text in recipes.items():
        (place / f"{name}.yaml").write_text(text)
        assert samerun("train", f"{name}.yaml", "-q", cwd=place).code == 0
        document = packed(samerun, place, name, tmp_path / f"{name}.zip", "--data", "--checkpoints", "0,last")
        assert document["data"] == {"input/rows.csv": (place / "data/rows.csv").stat().st_size}
    shutil.copytree(place / "runs", tmp_path / "originals")
    shutil.rmtree(place)
    yield tmp_path


@pytest.mark.slow
def test_a_run_with_a_part_of_its_own_is_measured_resumed_and_replayed_though_its_project_is_gone(
    samerun: Any, project: Path
) -> None:
    document = samerun("unpack", "own.zip", "--json").document
    run = document["run"]
    assert document["code"] == ["ours.py", "ours:PART"]
    (original,) = (project / "originals").glob("own-*")
    assert samerun("diff", original, run).code == 0
    commands = (("evaluate", run), ("replay", run, "--step", "4"), ("resume", run, "-s", "steps=8"))
    for command in commands:
        done = samerun(*command, "--json")
        assert (done.code, done.error["code"]) == (3, "SR-RESUME-004"), done.out
    assert not (project / "it-ran").exists()
    for command in commands:
        done = samerun(*command, "--trust")
        assert done.code == 0, (command, done.out, done.err)
    assert (project / "it-ran").exists()
    assert samerun("verify", run, "--files").code == 0
    assert [path.name for path in (project / "runs").iterdir()] == [Path(run).name]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "label"), [("plain", "data/rows.csv"), ("absolute", "rows.csv")])
def test_a_run_without_code_of_its_own_finds_the_data_that_came_along(
    samerun: Any, project: Path, name: str, label: str
) -> None:
    run = samerun("unpack", f"{name}.zip", "--json").document["run"]
    assert (project / run / layout.UNPACKED_DATA / label).is_file()
    commands = (
        ("evaluate", run),
        ("replay", run, "--step", "4"),
        ("reproduce", run, "--in", "again"),
        ("resume", run, "-s", "steps=8"),
    )
    for command in commands:
        done = samerun(*command)
        assert done.code == 0, (command, done.out, done.err)


def test_a_bundle_names_no_path_host_or_user(samerun: Any, made: Path, tmp_path: Path) -> None:
    packed(samerun, made, "first", tmp_path / "first.zip", "--checkpoints", "all")
    with zipfile.ZipFile(tmp_path / "first.zip") as archive:
        assert "run/local.json" not in archive.namelist()
        # Our own source holds words of its own; everything else is searched for where this is.
        texts = [archive.read(name) for name in archive.namelist() if not name.endswith("source-files.tar")]
    assert not any(str(made).encode() in text for text in texts)


def test_the_same_run_gives_the_same_bytes_and_another_choice_others(samerun: Any, made: Path, tmp_path: Path) -> None:
    digests = [
        packed(samerun, made, "second", tmp_path / f"{n}.zip", *more)["sha256"]
        for n, more in enumerate(([], [], ["--checkpoints", "none"]))
    ]
    assert digests[0] == digests[1] != digests[2]


def test_what_is_printed_says_what_goes_and_what_stays(samerun: Any, made: Path, tmp_path: Path) -> None:
    done = samerun("pack", "first", "-o", tmp_path / "a.zip", cwd=made)
    assert "checkpoints  4, 6" in done.out and "without" in done.out and "sha256:" in done.out
    assert "checking first" in done.err and "packing" in done.err
    done = samerun("pack", "first", "-o", tmp_path / "b.zip", "-q", cwd=made)
    assert done.out.strip() == str(tmp_path / "b.zip") and done.err == ""
    done = samerun("pack", "first", "-o", tmp_path / "c.zip", "--dry-run", "--data", cwd=made)
    assert "would be packed" in done.out and not (tmp_path / "c.zip").exists()
    assert "\n  stays        dataset/data: it was in memory" in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "name"),
    [
        (["pack", "nobody"], 5, "SR-RECORD-031"),
        (["pack", "first", "--checkpoints", "first"], 2, "SR-BUNDLE-001"),
        (["pack", "first", "--checkpoints", "1"], 5, "SR-BUNDLE-002"),
        (["pack", "first", "-o", "."], 2, "SR-BUNDLE-009"),
        (["pack", "first", "--data-limit", "-1"], 2, "SR-CLI-004"),
    ],
)
def test_bad_input_is_refused_in_four_parts(
    samerun: Any, made: Path, arguments: list[str], code: int, name: str
) -> None:
    done = samerun(*arguments, "--json", cwd=made)
    assert (done.code, done.error["code"]) == (code, name)
    assert done.error["what"] and done.error["do"]
