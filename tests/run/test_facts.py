"""The facts of a plain loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.config.bind import bind
from samerun.run.facts import loop_facts
from samerun.run.find import Facts


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text("import part\n")
    (tmp_path / "part.py").write_text("x = 1\n")
    return path


def facts_of(script: Path | None, config: dict[str, Any], aside: dict[str, str] | None = None, **given: Any) -> Facts:
    wanted: dict[str, Any] = {"seed": 7, "tier": "exact", "exact_except": (), "threads": "auto", "device": "cpu"}
    return loop_facts(bind(config, aside), script, **{**wanted, **given})[0]


def test_what_is_aside_is_no_fact(script: Path) -> None:
    facts = facts_of(script, {"rate": 0.1, "out": "a"}, {"out": "where files go"})
    assert facts.experiment["config"] == {"rate": 0.1}
    assert facts_of(script, {"rate": 0.1, "out": "b"}, {"out": "where files go"}) == facts


def test_a_config_value_and_the_meaning_of_the_source_count(script: Path) -> None:
    first = facts_of(script, {"rate": 0.1}).identity(7).id
    assert facts_of(script, {"rate": 0.2}).identity(7).id != first
    script.with_name("part.py").write_text("x = 1  # a remark\n")
    assert facts_of(script, {"rate": 0.1}).identity(7).id == first
    script.with_name("part.py").write_text("x = 2\n")
    assert facts_of(script, {"rate": 0.1}).identity(7).id != first


def test_tier_threads_and_exceptions_count(script: Path) -> None:
    identities = {
        facts_of(script, {}, **given).identity(7).id
        for given in ({}, {"tier": "fast"}, {"threads": 2}, {"exact_except": ("aten::cumsum",)})
    }
    assert len(identities) == 4
    facts_of(script, {})


def test_without_a_script_the_executed_cells_are_the_source() -> None:
    facts = facts_of(None, {})
    assert facts.experiment["source"]["user"] == {}
