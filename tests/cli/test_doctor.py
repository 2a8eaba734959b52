"""`samerun doctor`."""

from __future__ import annotations

import json

import pytest

from samerun.cli.main import run


def test_each_line_has_a_topic_a_state_and_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)["lines"]
    assert {line["state"] for line in lines} <= {"ok", "note", "missing"}
    assert {"python", "torch", "cpu", "threads"} <= {line["topic"] for line in lines}
    assert all(line["text"] for line in lines)


def test_the_text_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor"]) == 0
    assert "ok       cpu: exact" in capsys.readouterr().out
