"""`samerun doctor`."""

from __future__ import annotations

import json
from pathlib import Path

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


def test_a_recipe_is_said_to_fit_or_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "digits"]) == 0
    assert "ok       recipe: digits: tier exact on cpu" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["--price"], "SR-PRICE-003", 2),
        (["digits", "--steps", "40"], "SR-PRICE-003", 2),
        (["digits", "-s", "batch_size=4"], "SR-PRICE-003", 2),
        (["digits", "--price", "--steps", "0"], "SR-PRICE-002", 2),
        (["digits", "--price", "--blocks", "1"], "SR-PRICE-002", 2),
        (["nosuch", "--price"], "SR-CONFIG-002", 2),
    ],
)
def test_a_price_that_cannot_be_is_refused(
    arguments: list[str], code: str, exit_code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["doctor", *arguments, "--json"]) == exit_code
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code


def test_a_script_has_no_price(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.py").write_text("")
    assert run(["doctor", str(tmp_path / "train.py"), "--price", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "SR-PRICE-001"


def test_a_price_is_a_table_that_says_what_is_noise(capsys: pytest.CaptureFixture[str]) -> None:
    from samerun.cli.doctor import _lines
    from samerun.rerun.price import PHASES, Cost, Price
    from samerun.rerun.ratios import Ratio

    clear, noise = Ratio(1.5, 1.4, 1.6, 0.003, 0.002), Ratio(1.01, 0.98, 1.04, 0.002, 0.002)
    cost = Cost("tier exact over fast", clear, dict.fromkeys(PHASES, noise))
    found = Price("digits", "2026-11-30", "cpu", 34, 5, {"exact": 1, "fast": 2}, {"tier": cost})
    text = "\n".join(_lines(found))
    assert "34 steps in each of 5 blocks" in text and "2026-11-30" in text
    assert "1.50   1.40 .. 1.60   3.00 / 2.00  1.01 ~" in text
    assert "tier: tier exact over fast" in text and "within the noise" in text
