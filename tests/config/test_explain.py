"""Error codes and settings, explained offline."""

from __future__ import annotations

import pytest

from samerun.config.explain import explain, explain_code, is_code
from samerun.errors import CodePage, NoMatchError, code_pages


@pytest.mark.parametrize("text", ["SR-CLI-001", "sr-config-003", "SR121"])
def test_a_code_is_known_by_its_form(text: str) -> None:
    assert is_code(text)


@pytest.mark.parametrize("text", ["digits", "SR-CLI", "a/SR-CLI-001.yaml", "SR-CLI-0001", "SR1210", "SR-121"])
def test_anything_else_is_a_recipe(text: str) -> None:
    assert not is_code(text)


def test_every_code_has_a_page_with_all_its_parts() -> None:
    for code in code_pages():
        page = explain_code(code.lower())
        assert page.code == code
        assert page.title and page.means and page.do


def test_an_unknown_code_is_refused_with_the_nearest() -> None:
    with pytest.raises(NoMatchError, match="SR-EXPLAIN-001") as refusal:
        explain("SR-CLI-009")
    assert refusal.value.evidence[0].startswith("nearest: SR-CLI-")


def test_a_recipe_is_explained_value_by_value() -> None:
    rows = explain("digits", settings=["batch_size=32"])
    assert not isinstance(rows, CodePage)
    by_path = {row.path: row for row in rows}
    assert by_path["batch_size"].origin.where == "-s batch_size=32"
    assert by_path["steps"].standing.group == "aside"
    assert by_path["model.kind"].standing.group == "experiment"


def test_a_key_narrows_it_to_one_table() -> None:
    rows = explain("digits", "optimizer")
    assert not isinstance(rows, CodePage)
    assert {row.path.split(".")[0] for row in rows} == {"optimizer"}
