"""`samerun diff`: the answer, its exit code and what stands in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.cli.diff import _row, _section
from samerun.cli.main import run

SECTIONS = {"identity", "config", "source", "environment", "data", "streams", "metrics", "trail", "checkpoints"}


@pytest.fixture(autouse=True)
def inside(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)


def test_columns_that_differ_are_told_apart_from_columns_that_one_side_lacks() -> None:
    drift = {"first_step": 3, "rows": 2, "a": 1.0, "b": 2.0, "largest_relative": 0.5, "within": "apart"}
    section = {"rows_compared": 6, "columns": {"train/loss": drift}, "only_in_a": {}, "only_in_b": {"health/x": 4}}
    assert _section("metrics", section, None) == [
        "metrics: rows_compared 6",
        "  train/loss: other in 2 rows from step 3 on, by at most 0.5 of its value",
        "  health/x: only in b, from step 4",
    ]
    assert _section("metrics", section, 1)[-1] == "  and 1 more (-v shows them)"


def test_a_digest_is_shown_by_its_beginning() -> None:
    line = _row({"path": "x", "a": "sha256:" + "0123456789abcdef" * 4, "b": "xxh3:" + "0123456789abcdef" * 2})
    assert line == "  x: sha256:01234567... | xxh3:01234567..."


def test_the_arguments_of_a_script_stand_as_they_were_typed() -> None:
    row = {"group": "arguments", "path": "arguments", "a": [], "b": ["--rate", "0.1"]}
    assert _row(row) == "  arguments: (none) | --rate 0.1"


SOURCE = {
    "path": "user/net.py",
    "a": "1",
    "b": "2",
    "counts": True,
    "change": "changed",
    "where": "line 3 changed",
    "more": 0,
    "lines": ["-x = 1", "+x = '\x1b[2J'"],
    "left_out": 0,
    "reason": None,
}


@pytest.mark.parametrize(
    ("changes", "first", "last"),
    [
        ({}, "  user/net.py: line 3 changed", "    +x = '\\x1b[2J'"),
        ({"left_out": 5}, "  user/net.py: line 3 changed", "    and 5 more lines"),
        ({"more": 1, "lines": []}, *["  user/net.py: line 3 changed and 1 more place"] * 2),
        ({"where": None, "reason": "not a text", "lines": []}, *["  user/net.py: not a text"] * 2),
        (
            {"counts": False, "why_not": "comments or layout only", "lines": []},
            *["  user/net.py: line 3 changed (comments or layout only: it does not count)"] * 2,
        ),
    ],
)
def test_a_source_file_is_shown_by_its_lines_and_steers_no_terminal(
    changes: dict[str, Any], first: str, last: str
) -> None:
    lines = _row({**SOURCE, **changes}).splitlines()
    assert (lines[0], lines[-1]) == (first, last) and "\x1b" not in "".join(lines)


def test_equal_runs_are_silent_where_silence_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "first", "second", "-q"]) == 0
    assert capsys.readouterr() == ("", "")
    assert run(["diff", "second", "other", "-q"]) == 1
    assert capsys.readouterr().out.startswith("different")


def test_the_same_folder_under_two_names_is_no_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "first", "first"]) == 1
    assert capsys.readouterr().out.startswith("cannot_say: both are the same folder")


def test_equal_runs_are_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "first", "second"]) == 0
    assert capsys.readouterr().out.startswith("same: same experiment, same platform; 6 steps compared")


def test_another_rate_is_named_with_its_origin_and_the_step(samerun: Any, made: Path) -> None:
    done = samerun("diff", "second", "other", "--json", cwd=made)
    assert done.code == 1
    document = done.document
    assert list(document)[:2] == ["schema", "verdict"]
    assert set(document["sections"]) == SECTIONS
    rows = {row["path"]: row for row in document["sections"]["config"]}
    row = rows["optimizer.learning_rate"]
    assert (row["a"], row["b"]) == (0.002, 0.01)
    assert "-s optimizer.learning_rate=0.01" in str(row["b_origin"])
    assert document["first_difference"]["step"] == 0 and document["cause"].startswith("config: optimizer")


def test_the_text_shows_what_json_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "second", "other"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("different: another experiment: config.optimizer.learning_rate")
    second = out.splitlines()[1]
    assert second.startswith(
        "config: optimizer.learning_rate 0.002 -> 0.01, set by -s; first effect at step 0 in model"
    )
    assert "first difference: step 0" in out
    assert "optimizer.learning_rate: 0.002 | 0.01" in out


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ({"group": "platform", "path": "x", "kind": "added", "a": None, "b": None}, "  x: (absent) | null"),
        ({"group": "platform", "path": "x", "kind": "removed", "a": 3, "b": None}, "  x: 3 | (absent)"),
        ({"path": "x", "a": "(absent)", "b": None}, "  x: (absent) | null"),
        ({"stream": "user/a", "first_step": 2, "more_in_b": -3}, "  user/a: 3 more drawn in a, first at step 2"),
        ({"path": "git.changed", "a": ["a.py"], "b": []}, "  git.changed: other files were not committed"),
        (
            {
                "path": "inputs.x",
                "a": "1",
                "b": "2",
                "files": {"changed": ["t.csv"], "added": [], "removed": [], "moved": [["a", "b\n"]], "of": 3},
            },
            "  inputs.x: 2 of 3 files: changed t.csv; moved a -> b\\n",
        ),
        ({"path": "inputs.x", "a": "1", "b": "2", "files": None}, "  inputs.x: 1 | 2"),
    ],
)
def test_a_row_says_which_side_has_nothing(row: dict[str, Any], line: str) -> None:
    assert _row(row) == line


def test_what_did_not_differ_takes_no_line() -> None:
    nothing = {"compared": [0], "first_unequal": None, "states_not_compared": 0, "rows_compared": 6}
    assert _section("trail", nothing, None) == ["trail: rows_compared 6"]


def test_a_run_that_is_not_there_is_no_match(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "first", "nobody"]) == 5
    assert "SR-RECORD-031" in capsys.readouterr().err


INPUT_LOOP = """
import torch

import samerun

with samerun.start("data", seed=7, checkpoint={"every": 1}) as run:
    place = run.input("set")
    numbers = torch.tensor([float(text) for text in (place / "numbers.csv").read_text().split(",")])
    model = torch.nn.Linear(4, 1)
    optim = torch.optim.AdamW([{"params": [model.bias]}, {"params": [model.weight]}], 0.1)
    run.track(model=model, optim=optim)
    for step in run.steps(4):
        loss = (model(numbers) ** 2).sum()
        optim.zero_grad()
        loss.backward()
        optim.step()
        step.log(loss=loss)
"""


@pytest.mark.slow
def test_real_runs_that_differ_in_one_thing_are_told_by_it(
    samerun: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script, data = tmp_path / "loop.py", tmp_path / "set"
    data.mkdir()
    (data / "numbers.csv").write_text("1,2,3,4")
    (data / "other.csv").write_text("0")

    def train(name: str, text: str = INPUT_LOOP, **variables: str) -> None:
        script.write_text(text)
        assert samerun("train", "loop.py", "--name", name, "-q", **variables).code == 0

    def told(name: str) -> dict[str, Any]:
        found: dict[str, Any] = samerun("diff", "base", name, "--json").document
        return found

    train("base")
    train("line", INPUT_LOOP.replace("** 2", "** 4"))
    found = told("line")
    assert found["cause"] == "source: loop.py line 13 changed; first effect at step 0 in the loss"
    assert any("** 4" in line for line in found["sections"]["source"][0]["lines"])
    train(
        "slot",
        INPUT_LOOP.replace("        optim.step()", "        model.bias.grad += step.index == 2\n        optim.step()"),
    )
    first = told("slot")["first_difference"]
    assert (first["step"], first["component"], first["leaf"]) == (2, "model", "bias")
    assert (first["parameter"], first["also"]) == (None, ["optim"])
    train("variable", MKL_CBWR="COMPATIBLE")
    assert "MKL_CBWR (not set) -> COMPATIBLE" in told("variable")["cause"]
    train("comment", INPUT_LOOP.replace("    for step", "    # the loop\n    for step"))
    found = told("comment")
    assert (found["verdict"], found["cause"], found["sections"]["source"][0]["counts"]) == ("same", None, False)
    (data / "numbers.csv").write_text("1,2,3,5")
    train("data")
    assert told("data")["cause"] == (
        "data: numbers.csv of set changed (1 of 2 files); first effect at step 0 in the loss"
    )
