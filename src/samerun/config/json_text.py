"""JSON as a recipe is written in it (RFC 8259, strictly), read by hand so that every key keeps its line.

The standard decoder knows no lines; the few rules of JSON are simpler than finding the lines afterwards.
"""

import json
import re
from typing import Any, Final, NoReturn

from samerun.config.document import Reading
from samerun.config.problems import DUPLICATE_KEY, SYNTAX, Path, Problem
from samerun.errors import ConfigError

DEPTH_LIMIT: Final = 50
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,399})(\.[0-9]{1,400})?([eE][-+]?[0-9]{1,10})?(?![0-9.eE+-])")
_WORD = re.compile(r"true|false|null")
_WORDS: Final[dict[str, object]] = {"true": True, "false": False, "null": None}


def read_json(text: str, name: str) -> Reading:
    """Read one JSON document. Raises ConfigError SR-CONFIG-003 with the line of the first fault."""
    reader = _Reader(text, name)
    value = reader.value(())
    if reader.position < len(text):
        reader.fail("the document ends before this")
    return Reading(value, reader.lines, tuple(reader.problems))


class _Reader:
    """A cursor over the text; each method leaves it at the next token."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.position = 0
        self.lines: dict[Path, int] = {}
        self.problems: list[Problem] = []
        self._counted = 0
        self._line = 1
        self._take(_SPACE)

    def value(self, path: Path) -> Any:
        """Read the value at the cursor."""
        if len(path) > DEPTH_LIMIT:
            self.fail("nested too deeply for a recipe")
        head = self._peek()
        if head == "{":
            return self._table(path)
        if head == "[":
            return self._list(path)
        if head == '"':
            return self._string()
        word = self._take(_WORD)
        if word is not None:
            return _WORDS[word]
        return self._number()

    def line(self) -> int:
        """Return the line of the cursor, counted from 1."""
        self._line += self.text.count("\n", self._counted, self.position)
        self._counted = self.position
        return self._line

    def fail(self, sentence: str) -> NoReturn:
        """Raise for the place of the cursor."""
        where = f"{self.name}:{self.line()}"
        raise ConfigError(
            SYNTAX, f"the text cannot be read as JSON: {sentence}", evidence=[where], do=f"correct {where}"
        )

    def _peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def _take(self, pattern: re.Pattern[str]) -> str | None:
        """Step over `pattern` and the space after it; None, without moving, where it is not there."""
        match = pattern.match(self.text, self.position)
        if match is None:
            return None
        space = _SPACE.match(self.text, match.end())
        self.position = space.end() if space else match.end()
        return match.group()

    def _skip(self, character: str) -> bool:
        if self._peek() != character:
            return False
        self.position += 1
        self._take(_SPACE)
        return True

    def _string(self) -> str:
        found = self._take(_STRING)
        if found is None:
            self.fail("text with its closing quote is wanted")
        text: str = json.loads(found)
        return text

    def _number(self) -> int | float:
        found = self._take(_NUMBER)
        if found is None:
            self.fail("a value is wanted" if self._peek() else "it ends too early")
        number: int | float = json.loads(found)
        # -0 is what becomes of -0.0 in other hands: it stays negative here, to be refused with it.
        return -0.0 if found == "-0" else number

    def _list(self, path: Path) -> list[Any]:
        self._skip("[")
        items: list[Any] = []
        if self._skip("]"):
            return items
        while True:
            here = (*path, len(items))
            self.lines[here] = self.line()
            items.append(self.value(here))
            if self._skip("]"):
                return items
            if not self._skip(","):
                self.fail("a comma or a closing bracket is wanted")

    def _table(self, path: Path) -> dict[str, Any]:
        self._skip("{")
        table: dict[str, Any] = {}
        if self._skip("}"):
            return table
        while True:
            self._entry(table, path)
            if self._skip("}"):
                return table
            if not self._skip(","):
                self.fail("a comma or a closing brace is wanted")

    def _entry(self, table: dict[str, Any], path: Path) -> None:
        line = self.line()
        if self._peek() != '"':
            self.fail("a key in double quotes is wanted")
        key = self._string()
        if not self._skip(":"):
            self.fail("a colon is wanted")
        here = (*path, key)
        if key in table:
            first = f"'{key}' stands twice; the first is in line {self.lines[here]}"
            self.problems.append(Problem(line, f"{self.name}:{line}", first, DUPLICATE_KEY))
            self.value((*path, f"{key} (second)"))
            return
        self.lines[here] = line
        table[key] = self.value(here)
