"""The command line: a group that imports a verb's file only when that verb is asked for, and the way out.

Every outcome leaves through `main`: results as exit codes, our errors in four parts, anything else as exit 70 with a
traceback. Start-up is click and nothing else of weight; a test holds that.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from samerun.cli.options import CONTEXT, VerbCommand, VerbGroup, shared_options
from samerun.cli.output import Output
from samerun.cli.verbs import VERBS
from samerun.errors import ExitCode, InternalError, MissingError, SamerunError, UsageError

HELP = "Will I get the same run twice? Train, stop, resume, compare: and prove it."
EPILOG = "Every verb has --json, --runs DIR and --help. `samerun explain CODE` explains an error code."


class Verbs(click.Group):
    """All verbs, each loaded from `samerun.cli.<verb>` when it is used."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the verbs in the order in which a user meets them."""
        return list(VERBS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import the verb's file; `--help` of the group gets a stand-in instead."""
        if name not in VERBS:
            return None
        command = import_module(f"samerun.cli.{name}").command
        assert isinstance(command, (VerbCommand, VerbGroup))
        return command

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of verbs without importing any of them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Refuse an unknown verb with the nearest one."""
        name = args[0]
        command = self.get_command(context, name)
        if command is None:
            raise unknown_verb(name)
        return name, command, args[1:]


def unknown_verb(name: str) -> UsageError:
    """Return the error for a word that is no verb."""
    from samerun.base.text import nearest

    near = nearest(name, VERBS)
    evidence = [f"given: {name}"] + ([f"nearest: {near}"] if near else [])
    do = f"samerun {near} --help" if near else "samerun --help"
    return UsageError("SR-CLI-001", f"there is no verb {name!r}", evidence=evidence, do=do)


def _print_version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        from importlib.metadata import version

        click.echo(f"samerun {version('samerun')}")
        context.exit(0)


def build() -> Verbs:
    """Return the command line as a click group."""
    flag: dict[str, Any] = {"is_flag": True, "expose_value": False, "is_eager": True, "callback": _print_version}
    version = click.Option(["--version"], help="Show the version.", **flag)
    return Verbs(
        "samerun",
        params=[*shared_options(), version],
        help=HELP,
        epilog=EPILOG,
        context_settings=dict(CONTEXT),
        no_args_is_help=False,
        invoke_without_command=False,
    )


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit the process with one of `ExitCode`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(int(run(given)))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code; only an internal error prints a traceback."""
    output = _early_output(arguments)
    try:
        answer = build().main(arguments or ["--help"], "samerun", standalone_mode=False, obj=output)
        return int(answer) if isinstance(answer, int) else int(ExitCode.DONE)
    except SamerunError as error:
        return _fail(output, error)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        return _fail(output, usage_error(error))
    except ModuleNotFoundError as error:
        return _fail(output, missing_package(error))
    except (click.Abort, KeyboardInterrupt):
        output.note("aborted")
        return int(ExitCode.ABORTED)
    except Exception as error:  # noqa: BLE001 - the last line of defence: named, shown whole, exit 70
        return _fail(output, internal_error(error))


def _early_output(arguments: Sequence[str]) -> Output:
    # Errors of parsing itself must be JSON too, and they come before the options are read.
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return Output(is_json="--json" in own)


def _fail(output: Output, error: SamerunError) -> int:
    if output.verbosity >= 2 or error.shows_traceback:
        output.traceback(error.__cause__ or error)
    output.error(error)
    return int(error.exit_code)


def usage_error(error: click.ClickException) -> SamerunError:
    """Return click's complaint in our four parts."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context is not None else "samerun"
    code = "SR-CLI-002"
    if isinstance(error, click.MissingParameter):
        code = "SR-CLI-003"
    elif isinstance(error, click.BadParameter):
        code = "SR-CLI-004"
    what = " ".join(error.format_message().split()).rstrip(".")
    return UsageError(code, what, evidence=[f"command: {path}"], do=f"{path} --help")


EXTRAS = {"torch": "torch", "sklearn": "demo", "pyarrow": "table", "PIL": "images", "tokenizers": "text"}


def missing_package(error: ModuleNotFoundError) -> SamerunError:
    """Name the extra that brings a missing package; a module that is no extra of ours is an internal error."""
    package = (error.name or "").split(".")[0]
    if package not in EXTRAS:
        return internal_error(error)
    return MissingError(
        "SR-CLI-005",
        f"this needs the package {package!r}, which is not installed",
        evidence=[f"python: {sys.executable}"],
        do=f"pip install 'samerun[{EXTRAS[package]}]'",
    )


def internal_error(error: Exception) -> SamerunError:
    """Wrap an exception that is nobody's mistake but ours."""
    wrapped = InternalError(
        "SR-CLI-070",
        f"samerun itself failed: {type(error).__name__}: {error}",
        evidence=[f"samerun was run as: {os.path.basename(sys.argv[0])}"],
        do="report this with the traceback above; what was written to a run folder stays valid",
    )
    wrapped.__cause__ = error
    return wrapped
