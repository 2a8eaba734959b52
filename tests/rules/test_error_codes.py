"""Every error code that is raised is explained in error_codes/*.toml, and every explained one is raised."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from codebase import REPOSITORY, Module, planted

CODE = re.compile(r"SR-[A-Z]+-\d{3}|SR\d{3}")
"""Of errors, and of what an audit finds in sources."""
FOLDER = REPOSITORY / "src/samerun/error_codes"
PARTS = {"title", "means", "do"}


def raised(modules: list[Module]) -> dict[str, str]:
    """Code -> where it stands as a whole string; a code inside a docstring or sentence is not raised there."""
    found = {}
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
                found.setdefault(node.value, f"{module.path}:{node.lineno}")
    return found


def explained(files: list[Path]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for path in files:
        for code, section in tomllib.loads(path.read_text("utf-8")).items():
            assert code not in found, f"{code} is explained twice, once in {path.name}"
            found[code] = section
    return found


def differences(raised_at: dict[str, str], sections: dict[str, dict[str, str]]) -> list[str]:
    unknown = sorted(set(raised_at) - set(sections))
    lines = [f"{raised_at[code]} raises {code}: not explained" for code in unknown]
    lines += [f"{code} is explained and never raised" for code in sorted(sections) if code not in raised_at]
    return lines + [f"{code}: wants {sorted(PARTS)}" for code, section in sections.items() if set(section) != PARTS]


def test_codes_raised_and_codes_explained_are_the_same(modules: list[Module]) -> None:
    assert differences(raised(modules), explained(sorted(FOLDER.glob("*.toml")))) == []


def test_a_code_named_in_a_page_exists() -> None:
    known = set(explained(sorted(FOLDER.glob("*.toml"))))
    pages = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]
    named = {code: page.name for page in pages for code in CODE.findall(page.read_text("utf-8"))}
    assert {code: page for code, page in named.items() if code not in known} == {}


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("error('SR-DIFF-001')", {}),
        ("'see SR-DIFF-001'", {"SR-DIFF-001": {"title": "", "means": "", "do": ""}}),
        ("error('SR-DIFF-001')", {"SR-DIFF-001": {"title": ""}}),
    ],
    ids=["not explained", "never raised", "half explained"],
)
def test_a_difference_between_the_two_is_found(text: str, sections: dict[str, dict[str, str]]) -> None:
    assert len(differences(raised([planted(text)]), sections)) == 1
