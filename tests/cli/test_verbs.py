"""The list of verbs is what `--help` prints."""

from __future__ import annotations

from importlib import import_module

import pytest

from samerun.cli.options import VerbCommand, VerbGroup
from samerun.cli.verbs import VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_a_command_of_that_name(verb: str) -> None:
    command = import_module(f"samerun.cli.{verb}").command
    assert isinstance(command, VerbCommand | VerbGroup)
    assert command.name == verb


@pytest.mark.parametrize("line", VERBS.values())
def test_each_line_is_a_sentence_that_fits(line: str) -> None:
    assert line.endswith(".") and len(line) <= 66
