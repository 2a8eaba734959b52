"""Problems of a config: each with its code, its place and one sentence, reported together as one ConfigError.

Also how a key path is written and read: segments with dots between, quoted where a segment holds anything else than
letters, digits, '_' and '-'.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn

from samerun.errors import ConfigError

Path = tuple[str | int, ...]
"""Where a value stands: keys of tables, indexes of lists."""

SEVERAL: Final = "SR-CONFIG-001"
SYNTAX: Final = "SR-CONFIG-003"
UNKNOWN_KEY: Final = "SR-CONFIG-004"
WRONG_VALUE: Final = "SR-CONFIG-005"
MISSING_KEY: Final = "SR-CONFIG-006"
DUPLICATE_KEY: Final = "SR-CONFIG-007"
SECRET: Final = "SR-CONFIG-009"
NUMBER: Final = "SR-CONFIG-010"

_PLAIN_SEGMENT = re.compile(r"[\w-]+")
_SEGMENT = re.compile(r'"(?:[^"\\]|\\.)*"|[^."]+')


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that is wrong: where it stands ("recipe.yaml:12" or "-s key=value"), and what it is."""

    line: int
    where: str
    sentence: str
    code: str
    do: str = ""


def format_path(path: Path) -> str:
    """Write a path as `-s` and `explain` take it."""
    return ".".join(
        str(segment) if isinstance(segment, int) or _PLAIN_SEGMENT.fullmatch(segment) else json.dumps(segment)
        for segment in path
    )


def parse_path(text: str) -> tuple[str, ...] | None:
    """Read a path back; None where it is not one. An index of a list comes back as its digits."""
    segments: list[str] = []
    position = 0
    while True:
        match = _SEGMENT.match(text, position)
        if match is None:
            return None
        found = match.group()
        segments.append(json.loads(found) if found.startswith('"') else found.strip())
        position = match.end()
        if not segments[-1]:
            return None
        if position == len(text):
            return tuple(segments)
        if text[position] != ".":
            return None
        position += 1


def is_unicode(text: str) -> bool:
    """Whether the text can be written as UTF-8: no half of a surrogate pair stands in it."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def printable(text: str) -> str:
    """Return the text with halves of surrogate pairs written out, so that it can go into any file or terminal."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def shortened(text: str) -> str:
    """Return at most 60 characters of a text from somebody's recipe."""
    return text if len(text) <= 60 else text[:60] + "..."


def has(node: Any, segment: str | int) -> bool:
    """Whether a tree of plain values has something under this key or index."""
    if isinstance(node, list):
        return isinstance(segment, int) and segment < len(node)
    return isinstance(node, Mapping) and segment in node


def value_at(tree: Any, path: Path) -> Any:
    """Return the value at a path of a plain tree, None where there is none."""
    for segment in path:
        if not has(tree, segment):
            return None
        tree = tree[segment]
    return tree


def without_value(problem: Problem, settings: Collection[str]) -> Problem:
    """Return a problem of one of these `-s` settings without the value that the setting gives."""
    if problem.where not in settings:
        return problem
    key, sign, value = problem.where.partition("=" if problem.where.startswith("-s ") else " ")
    return replace(
        problem,
        where=f"{key}{sign}...",
        sentence=problem.sentence.replace(value, "...") if len(value) > 2 else problem.sentence,
    )


def raise_problems(problems: Iterable[Problem], subject: str) -> NoReturn:
    """Raise one ConfigError for all problems, in the order of the file, then those of the command line."""
    safe = {replace(item, where=printable(item.where), sentence=printable(item.sentence)) for item in problems}
    listed = sorted(safe, key=lambda problem: (problem.where.startswith("-"), problem.line, problem))
    if len(listed) == 1:
        only = listed[0]
        raise ConfigError(only.code, only.sentence, evidence=[only.where], do=only.do or _next_step(only, subject))
    codes = sorted({problem.code for problem in listed})
    raise ConfigError(
        SEVERAL,
        f"{len(listed)} problems in the settings of {subject}",
        evidence=[f"{problem.where}: {problem.sentence} [{problem.code}]" for problem in listed],
        do=f"correct each line; samerun explain {codes[0]}",
    )


def _next_step(problem: Problem, subject: str) -> str:
    return f"correct {problem.where}" if problem.where else f"correct {subject}"
