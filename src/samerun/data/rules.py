"""Rules that say the label, group or time of an entry: a folder of its path, a pattern on its id, or a column.

A rule is a text, so that a manifest can hold it and the next one is made in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from samerun.errors import UsageError

Rule = Callable[[str], str | None]
"""The id of a file -> the value, None where it has none."""

NAMES: Final = ("label", "group", "time")
CONTENT: Final = "content"
"""The rule for the id of an item that is its content."""


def file_rule(text: str, option: str) -> Rule:
    """Return the rule that `folder`, `folder:N` (the first N folders of the path) or `regex:PATTERN` means.

    A pattern gives its first group, or all that it matches. Raises UsageError SR-DATA-020 for anything else.
    """
    kind, _, rest = text.partition(":")
    if kind == "folder" and ((rest.isdecimal() and int(rest) > 0) or text == "folder"):
        return partial(_folders, int(rest or 1))
    if kind == "regex" and rest:
        try:
            return partial(_matched, re.compile(rest))
        except re.error as problem:
            raise _no_rule(text, option, f"the pattern cannot be read: {problem}") from None
    raise _no_rule(text, option, "wanted: folder, folder:N, or regex:PATTERN on the path within the folder")


def _folders(level: int, name: str) -> str | None:
    parts = name.split("/")
    return "/".join(parts[:level]) if len(parts) > level else None


def _matched(pattern: re.Pattern[str], name: str) -> str | None:
    found = pattern.search(name)
    if found is None:
        return None
    return found[1] if pattern.groups else found[0]


def _no_rule(text: str, option: str, found: str) -> UsageError:
    return UsageError(
        "SR-DATA-020",
        f"--{option}: {text!r} is no rule",
        evidence=[found, "columns are named with --items, for the rows of a table"],
        do=f"--{option} folder, or --{option} 'regex:speaker-(\\d+)'",
    )


def cell_text(value: Any) -> str | None:
    """Return what a cell says as a label, group, time or id: None for an empty one."""
    if value is None or value == "" or value != value:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def given(rules: Mapping[str, str | None]) -> dict[str, str]:
    """Return the rules that were given."""
    return {name: text for name, text in rules.items() if text is not None}
