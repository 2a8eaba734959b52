"""The options that every verb has."""

from __future__ import annotations

from importlib import import_module

import click
import pytest

from samerun.cli.options import VerbCommand
from samerun.cli.verbs import VERBS

SHARED = {"--json", "--quiet", "-q", "--verbose", "-v", "--color", "--runs"}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_the_shared_options(verb: str) -> None:
    command = import_module(f"samerun.cli.{verb}").command
    assert isinstance(command, VerbCommand)
    given = {name for option in command.params if isinstance(option, click.Option) for name in option.opts}
    assert given >= SHARED


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_every_verb_says_what_it_does(verb: str) -> None:
    command = import_module(f"samerun.cli.{verb}").command
    silent = [option.name for option in command.params if isinstance(option, click.Option) and not option.help]
    assert silent == []
    assert command.help
