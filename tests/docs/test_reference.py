"""The reference knows every option: `docs/reference/<verb>.md` names each one that `samerun <verb> --help` does."""

from __future__ import annotations

from importlib import import_module

import click
import pytest

from codebase import REPOSITORY
from samerun.cli.verbs import VERBS

SHARED = {"--json", "--runs", "--help", "-h", "-q", "--quiet", "-v", "--verbose", "--color"}
"""On every verb; they stand in docs/reference/README.md once."""


def undocumented(command: click.Command, page: str) -> list[str]:
    """Options of which no spelling stands on the page."""
    options = [option for option in command.params if isinstance(option, click.Option)]
    spellings = [[*option.opts, *option.secondary_opts] for option in options]
    return [names[0] for names in spellings if not SHARED & {*names} and not any(f"`{name}" in page for name in names)]


@pytest.mark.parametrize("verb", VERBS)
def test_each_option_of_a_verb_is_on_its_page(verb: str) -> None:
    page = (REPOSITORY / f"docs/reference/{verb}.md").read_text("utf-8")
    assert undocumented(import_module(f"samerun.cli.{verb}").command, page) == []


def test_the_shared_options_are_on_the_index_page() -> None:
    page = (REPOSITORY / "docs/reference/README.md").read_text("utf-8")
    assert [name for name in ("--json", "--runs", "-q", "-v", "--color") if f"`{name}" not in page] == []


def test_an_option_without_a_word_about_it_is_found() -> None:
    @click.command()
    @click.option("--told")
    @click.option("--untold", "-u")
    def command() -> None: ...

    assert undocumented(command, "`--told TEXT` is told") == ["--untold"]
