"""One name in five places: a verb is a row of `cli/verbs.py`, a file in cli/, a public function, a page in
docs/reference/ and a test file, spelled the same (DESIGN 3.4)."""

from __future__ import annotations

import ast
import importlib

import samerun
from codebase import REPOSITORY
from samerun.cli.verbs import VERBS

NOT_VERBS = {"main", "options", "output", "verbs"}
IN_THEIR_FOLDER = {"audit": "samerun.audit.scan", "streams": "samerun.streams.listing"}
"""Verbs whose name a folder keeps: the function lives inside it."""
OF_SEVERAL = {"data": {name: f"samerun.data.{name}" for name in ("manifest", "check", "split", "diff")}}
"""Verbs that consist of several: each is a function of its own module in the folder of that name."""


def missing(verbs: set[str], places: dict[str, set[str]]) -> list[str]:
    """One line for every verb that a place lacks, and for every name there that is no verb."""
    lacks = [f"{place} lacks {verb}" for place, names in places.items() for verb in sorted(verbs - names)]
    return lacks + [f"{place}: {name} is no verb" for place, names in places.items() for name in sorted(names - verbs)]


def stems(folder: str, pattern: str, prefix: str = "") -> set[str]:
    return {path.stem.removeprefix(prefix) for path in (REPOSITORY / folder).glob(pattern)}


def test_each_verb_has_its_file_page_and_test() -> None:
    files = stems("src/samerun/cli", "*.py") - NOT_VERBS - {"__init__"}
    tested = stems("tests/cli", "test_*.py", "test_") - NOT_VERBS
    pages = stems("docs/reference", "*.md") - {"README"}
    assert missing(set(VERBS), {"src/samerun/cli": files, "tests/cli": tested, "docs/reference": pages}) == []


def test_each_verb_is_a_public_function() -> None:
    for verb in VERBS:
        if verb in OF_SEVERAL:
            group = importlib.import_module(f"samerun.cli.{verb}").command
            assert set(group.commands) == set(OF_SEVERAL[verb])
            for name, module in OF_SEVERAL[verb].items():
                assert callable(getattr(importlib.import_module(module), name))
        elif verb in IN_THEIR_FOLDER:
            assert callable(getattr(importlib.import_module(IN_THEIR_FOLDER[verb]), verb))
        else:
            assert callable(getattr(samerun, verb)), verb


def test_the_stub_lists_what_the_package_exports() -> None:
    stub = ast.parse((REPOSITORY / "src/samerun/__init__.pyi").read_text("utf-8"))
    named = {
        alias.asname or alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert set(samerun.__all__) <= named, sorted(set(samerun.__all__) - named)


def test_a_verb_that_is_missing_somewhere_is_found() -> None:
    assert missing({"ls", "show"}, {"cli": {"ls", "show", "extra"}, "docs": {"ls"}}) == [
        "docs lacks show",
        "cli: extra is no verb",
    ]
