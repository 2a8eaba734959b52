"""`samerun streams`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from samerun.cli.main import run
from samerun.streams.registry import TEMPLATES


def test_the_whole_namespace_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["streams"]) == 0
    out = capsys.readouterr().out
    assert all(template.text in out and template.description in out for template in TEMPLATES)


def test_a_recipe_is_only_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["streams", "digits"]) == 0
    (tmp_path / "empty.yaml").touch()
    assert run(["streams", str(tmp_path / "empty.yaml")]) == 2
    assert "SR-CONFIG-003" in capsys.readouterr().err


def test_a_run_says_how_many_numbers_it_drew(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["streams", "first", "--runs", str(made / "runs"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    drawn = {stream["template"]: stream["drawn"] for stream in document["streams"]}
    assert drawn["data/order/epoch/{epoch}"] > 0
    assert drawn["user/..."] == 0
