"""The options that every verb has, and the decorator that turns a function into a verb's command.

A verb's function receives an `Output`, the folder of runs and its own parameters, and returns its exit code.
What a verb *does* lives in the layers below; a file in `cli/` parses, calls and prints.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from samerun.cli.output import Output
from samerun.cli.verbs import VERBS

Function = TypeVar("Function", bound=Callable[..., object])
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 120}


def _set_output(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def callback(context: click.Context, _: click.Parameter, value: Any) -> None:
        if value:
            setattr(context.ensure_object(Output), name, value)

    return callback


def shared_options() -> list[click.Option]:
    """Return fresh options for `--json`, `-q`, `-v` and `--color`; each writes into the command's `Output`."""
    speak: dict[str, Any] = {"expose_value": False, "is_eager": True}
    return [
        click.Option(
            ["--json"], is_flag=True, callback=_set_output("is_json"), help="One JSON document on stdout.", **speak
        ),
        click.Option(["-q", "--quiet"], is_flag=True, callback=_set_output("is_quiet"), help="Only results.", **speak),
        click.Option(
            ["-v", "--verbose"],
            count=True,
            callback=_set_output("verbosity"),
            help="Show everything; -vv shows tracebacks, too.",
            **speak,
        ),
        click.Option(
            ["--color"],
            type=click.Choice(["auto", "always", "never"]),
            callback=_set_output("color"),
            help="Colours; auto obeys NO_COLOR and the terminal.",
            **speak,
        ),
    ]


def runs_option() -> click.Option:
    """Return the option `--runs`, which every verb accepts."""
    return click.Option(
        ["--runs"],
        metavar="DIR",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder of runs (default: [tool.samerun] runs in pyproject.toml, else runs/).",
    )


class MaybeValue(click.Option):
    """An option with a value that may be left out: `--duplicates` is `--duplicates=exact`, where `bare` is "exact".

    A word that follows is the next argument, never its value.
    """

    def __init__(self, *given: Any, bare: str, **options: Any) -> None:
        super().__init__(*given, **options)
        self.bare = bare


class VerbCommand(click.Command):
    """A command with the shared options; it hands `Output` and `runs` to its function."""

    def __init__(
        self, name: str, function: Callable[..., object], parameters: list[click.Parameter], short: str
    ) -> None:
        super().__init__(
            name,
            context_settings=dict(CONTEXT),
            callback=function,
            params=[*parameters, runs_option(), *shared_options()],
            help=function.__doc__,
            short_help=short,
        )

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Write out the values that were left out, then parse."""
        bare = {name: one.bare for one in self.params if isinstance(one, MaybeValue) for name in one.opts}
        own = args.index("--") if "--" in args else len(args)
        written = [f"{word}={bare[word]}" if word in bare else word for word in args[:own]]
        return super().parse_args(context, [*written, *args[own:]])

    def invoke(self, context: click.Context) -> object:
        """Resolve the folder of runs, then call the verb's function."""
        output = context.ensure_object(Output)
        output.verb = ".".join(context.command_path.split()[1:]) or self.name or output.verb
        assert self.callback is not None
        return self.callback(output, **context.params)


def verb(name: str, short: str | None = None) -> Callable[[Callable[..., object]], VerbCommand]:
    """Make the command of a verb. The function's docstring is its help; its one-line help stands in `verbs.py`.

    `short` is the one-line help of one of the verbs of a group.
    """

    def wrap(function: Callable[..., object]) -> VerbCommand:
        parameters: list[click.Parameter] = list(reversed(getattr(function, "__click_params__", [])))
        return VerbCommand(name, function, parameters, VERBS[name] if short is None else short)

    return wrap


class VerbGroup(click.Group):
    """A verb that consists of several: `samerun data check`; each is added by `part`."""

    def __init__(self, name: str, description: str) -> None:
        super().__init__(
            name,
            context_settings=dict(CONTEXT),
            params=list(shared_options()),
            help=description,
            short_help=VERBS[name],
            subcommand_metavar="VERB ...",
            no_args_is_help=False,
        )

    def part(self, name: str, short: str) -> Callable[[Callable[..., object]], VerbCommand]:
        """Make one of the verbs and add it; its function is as that of any other verb."""

        def wrap(function: Callable[..., object]) -> VerbCommand:
            command = verb(name, short)(function)
            self.add_command(command)
            return command

        return wrap


def setting_option(function: Function) -> Function:
    """Add `-s key.path=value`, which may be repeated; the verb gets a tuple `settings`."""
    option = click.option(
        "-s",
        "--set",
        "settings",
        multiple=True,
        metavar="KEY=VALUE",
        help="Set a config value (a YAML 1.2 scalar or flow value); may be repeated.",
    )
    return option(function)


def drift_option(function: Function) -> Function:
    """Add `--allow-drift GROUP[,..]`; the verb gets the names as a tuple `allow_drift`."""
    option = click.option(
        "--allow-drift",
        metavar="GROUP[,..]",
        default="",
        callback=lambda _, __, value: tuple(name.strip() for name in value.split(",") if name.strip()),
        help="Go on although these facts moved: platform, source, environment, or one field.",
    )
    return option(function)
