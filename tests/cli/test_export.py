"""`samerun export`: text on standard output, a file, one JSON document, and what is wrong usage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from samerun.cli.main import run

FIELDS = ["schema", "dry_run", "run", "to", "file", "size_bytes", "digest", "num_distributions", "left_out", "content"]


def test_constraints_go_to_standard_output(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "first", "--to", "constraints", "--runs", str(made / "runs")]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# distributions of run first-") and "\nnumpy==" in out


def test_a_file_is_named_with_what_was_left_out(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "constraints.txt"
    assert run(["export", "first", "--to", "constraints", "-o", str(target), "--runs", str(made / "runs")]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{target}: ") and "left out: samerun" in out
    assert target.read_text().startswith("# distributions")


def test_json_has_its_fields_and_the_content_where_it_went_into_no_file(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", "first", "--to", "cyclonedx", "--json", "--runs", str(made / "runs")]
    assert run(words) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == FIELDS and document["schema"] == "samerun.export/1"
    assert json.loads(document["content"])["bomFormat"] == "CycloneDX"
    assert run([*words, "-o", str(tmp_path / "sbom.json")]) == 0
    written = json.loads(capsys.readouterr().out)
    assert written["content"] is None and written["digest"] == document["digest"]
    assert run([*words, "-o", str(tmp_path / "other.json"), "--dry-run"]) == 0
    assert json.loads(capsys.readouterr().out)["dry_run"] is True and not (tmp_path / "other.json").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["first"], "SR-CLI-003", 2),
        (["first", "--to", "nothing"], "SR-CLI-004", 2),
        (["nobody", "--to", "constraints"], "SR-RECORD-031", 5),
        (["first", "--to", "pylock", "--offline"], "SR-EXPORT-002", 3),
    ],
)
def test_wrong_usage_is_named(
    made: Path, arguments: list[str], code: str, exit_code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", *arguments, "--runs", str(made / "runs"), "--json"]) == exit_code
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code


def test_the_library_for_a_bill_of_materials_is_named_where_it_is_missing(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cyclonedx.model.bom", None)
    assert run(["export", "first", "--to", "cyclonedx", "--runs", str(made / "runs"), "--json"]) == 4
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "SR-EXPORT-001" and "samerun[sbom]" in error["do"]
