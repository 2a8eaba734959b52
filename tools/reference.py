"""`make reference`: write usage and options of every verb into its page, between two marks.

The words around the marks are written by hand. tests/docs/test_reference.py fails where a page is stale."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import click

from samerun.cli.options import runs_option, shared_options
from samerun.cli.verbs import VERBS

FOLDER = Path(__file__).resolve().parent.parent / "docs/reference"
BEGIN, END = "<!-- help -->", "<!-- /help -->"
SHARED = {option.name for option in [*shared_options(), runs_option()]} | {"help"}


def block(verb: str) -> str:
    """What the marks enclose on a verb's page."""
    command: click.Command = import_module(f"samerun.cli.{verb}").command
    if isinstance(command, click.Group):
        parts = [line for name, part in command.commands.items() for line in _lines(f"{verb} {name}", part)]
        lines = [*_help(command), *parts]
    else:
        lines = _lines(verb, command)
    lines.append("Shared options (`--json`, `--runs`, ...) are on [the index page](README.md).")
    return "\n".join([BEGIN, *lines, END])


def _lines(verb: str, command: click.Command) -> list[str]:
    """Usage, help and options of one command, a blank line after each."""
    arguments = " ".join(param.make_metavar(_context(command)) for param in command.params if not _is_option(param))
    lines = ["```text", f"samerun {verb} [OPTIONS] {arguments}".rstrip(), "```", "", *_help(command)]
    shown = [param for param in command.params if isinstance(param, click.Option) and not param.hidden]
    own = [param for param in shown if param.name not in SHARED]
    return lines + (["| option | does |", "|---|---|", *map(_row, own), ""] if own else [])


def _help(command: click.Command) -> list[str]:
    paragraphs = [" ".join(part.split()) for part in (command.help or "").strip().split("\n\n")]
    return _spaced(paragraphs)


def shared_block() -> str:
    """What the marks enclose on the index page: the verbs, and the options that each of them has."""
    verbs = [f"| [`{verb}`]({verb}.md) | {line} |" for verb, line in VERBS.items()]
    options = map(_row, [*shared_options(), runs_option()])
    table = ["| verb | does |", "|---|---|", *verbs, "", "| option of every verb | does |", "|---|---|", *options]
    return "\n".join([BEGIN, *table, "| `-h`, `--help` | Show the usage of a verb. |", END])


def _is_option(param: click.Parameter) -> bool:
    return isinstance(param, click.Option)


def _context(command: click.Command) -> click.Context:
    return click.Context(command)


def _spaced(paragraphs: list[str]) -> list[str]:
    return [line for paragraph in paragraphs for line in (_escaped(paragraph), "")]


def _escaped(text: str) -> str:
    return re.sub(r"([<>|])", r"\\\1", text)


def _row(option: click.Option) -> str:
    takes = "" if option.is_flag or option.count else f" {option.make_metavar(click.Context(click.Command('x')))}"
    names = ", ".join(f"`{name}{takes}`" for name in option.opts).replace("|", r"\|")
    return f"| {names} | {_escaped(option.help or '')} |"


def filled(page: str, text: str) -> str:
    """The page with `text` between its marks, or with marks added under its title."""
    if BEGIN not in page:
        title, _, rest = page.partition("\n")
        return f"{title}\n\n{text}\n{rest}"
    before, _, after = page.partition(BEGIN)
    return before + text + after.partition(END)[2]


def wanted() -> dict[Path, str]:
    """Every page of the reference that exists, as it should be."""
    texts = {FOLDER / f"{verb}.md": block(verb) for verb in VERBS} | {FOLDER / "README.md": shared_block()}
    return {path: filled(path.read_text("utf-8"), text) for path, text in texts.items() if path.exists()}


def main() -> None:
    for path, text in wanted().items():
        if path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(f"written: docs/reference/{path.name}")


if __name__ == "__main__":
    main()
