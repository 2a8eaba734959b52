"""`samerun parts`."""

from __future__ import annotations

import json

import pytest

from samerun.cli.main import run


def test_our_own_parts_are_listed_with_their_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["parts", "--json"]) == 0
    parts = json.loads(capsys.readouterr().out)["parts"]
    ours = {(part["group"], part["kind"]) for part in parts if part["distribution"] == "samerun"}
    assert {("trainers", "supervised"), ("models", "mlp"), ("tasks", "digits"), ("optimizers", "adamw")} <= ours
    assert [part["problem"] for part in parts if part["distribution"] == "samerun" and part["problem"]] == []


def test_the_text_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["parts"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["group", "kind", "from"]
    assert any(line.startswith("models") and " mlp " in line for line in lines)
