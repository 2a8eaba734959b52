"""The options that every verb has."""

from __future__ import annotations

from importlib import import_module

import click
import pytest

from samerun.cli.options import MaybeValue, VerbCommand, VerbGroup
from samerun.cli.options import verb as verb_of
from samerun.cli.verbs import VERBS

SHARED = {"--json", "--quiet", "-q", "--verbose", "-v", "--color", "--runs"}


def commands(verb: str) -> list[VerbCommand]:
    """The command of a verb, or those of its own verbs."""
    command = import_module(f"samerun.cli.{verb}").command
    found = list(command.commands.values()) if isinstance(command, VerbGroup) else [command]
    assert found and all(isinstance(one, VerbCommand) for one in found)
    return found


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_the_shared_options(verb: str) -> None:
    for command in commands(verb):
        given = {name for option in command.params if isinstance(option, click.Option) for name in option.opts}
        assert given >= SHARED


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_every_verb_says_what_it_does(verb: str) -> None:
    for command in commands(verb):
        silent = [option.name for option in command.params if isinstance(option, click.Option) and not option.help]
        assert silent == []
        assert command.help and command.short_help


def test_an_option_whose_value_is_left_out_takes_no_argument_for_it() -> None:
    @verb_of("ls", "Short.")
    @click.argument("rest", nargs=-1)
    @click.option("--twice", cls=MaybeValue, bare="exact", type=click.Choice(["exact", "near"]), help="x")
    def command(output: object, rest: tuple[str, ...], twice: str | None, runs: object) -> tuple[object, ...]:
        return rest, twice

    def parsed(*words: str) -> object:
        return command.main(list(words), "x", standalone_mode=False)

    assert parsed("--twice", "near") == (("near",), "exact")
    assert parsed("--twice=near", "a") == (("a",), "near")
    assert parsed("a") == (("a",), None)
    assert parsed("--", "--twice") == (("--twice",), None)
