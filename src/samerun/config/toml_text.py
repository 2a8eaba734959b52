"""TOML 1.0 as a recipe is written in it: values by the standard library, the line of every key by a scan of the text.

Dates and times stay text, as they are in the other syntaxes. The scan trusts that the text is valid TOML, which the
library has checked before.
"""

import re
from datetime import date, datetime, time
from typing import Any, Final

from samerun.config.document import Reading
from samerun.config.problems import DUPLICATE_KEY, SYNTAX, Path
from samerun.errors import ConfigError

DEPTH_LIMIT: Final = 50
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_TEXT = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'", re.DOTALL)
_BARE_VALUE = re.compile(r"[^,\]}#\n]+")
_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)$")
_NEGATIVE_ZERO = re.compile(r"-0")


def read_toml(text: str, name: str) -> Reading:
    """Read one TOML document. Raises ConfigError SR-CONFIG-003, or -007 for a duplicate key, with the line."""
    import tomllib  # only where a recipe is TOML: every verb that reads settings starts sooner

    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _refusal(str(error), name, text) from error
    except (RecursionError, ValueError) as error:  # too many digits, too deep
        raise _refusal(str(error), name, text) from error
    scan = _Scan(text)
    scan.document()
    return Reading(_plain(value, (), scan), scan.lines)


def _refusal(message: str, name: str, text: str) -> ConfigError:
    match = _AT_LINE.search(message)
    line = int(match.group(1)) if match else text.count("\n") + 1 if "end of document" in message else 0
    where = f"{name}:{line}" if line else name
    sentence = _AT_LINE.sub("", message).removesuffix(" (at end of document)")
    is_duplicate = sentence.startswith(("Cannot overwrite", "Cannot declare", "Cannot mutate", "Duplicate"))
    code = DUPLICATE_KEY if is_duplicate else SYNTAX
    what = "a key or table stands twice" if is_duplicate else "the text cannot be read as TOML"
    return ConfigError(code, f"{what}: {sentence}", evidence=[where], do=f"correct {where}")


def _plain(value: Any, path: Path, scan: "_Scan") -> Any:
    if isinstance(value, dict):
        return {key: _plain(item, (*path, key), scan) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, (*path, index), scan) for index, item in enumerate(value)]
    if isinstance(value, datetime | date | time):
        return scan.bare.get(path, value.isoformat())
    # -0 is what becomes of -0.0 in other hands: it stays negative here, to be refused with it.
    return -0.0 if value == 0 and _NEGATIVE_ZERO.fullmatch(scan.bare.get(path, "")) else value


class _Scan:
    """A cursor over valid TOML that notes where each key and element stands, and the text of each bare value."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.lines: dict[Path, int] = {}
        self.bare: dict[Path, str] = {}
        self._tables: dict[Path, int] = {}
        self._counted = 0
        self._line = 1

    def document(self) -> None:
        """Scan everything."""
        table: Path = ()
        self._take(_BLANK)
        while self.position < len(self.text):
            if self._peek() == "[":
                table = self._header()
            else:
                self._entry(table)
            self._take(_BLANK)

    def _header(self) -> Path:
        line = self._here()
        is_element = self.text.startswith("[[", self.position)
        self.position += 2 if is_element else 1
        path = self._resolved(self._key())
        self.position += 2 if is_element else 1
        if is_element:
            index = self._tables.get(path, -1) + 1
            self._tables[path] = index
            self.lines.setdefault(path, line)
            path = (*path, index)
        self._note(path, line)
        return path

    def _resolved(self, key: Path) -> Path:
        """Put the index of the current element after each array of tables on the way, except at the end."""
        path: Path = ()
        for segment in key[:-1]:
            path = (*path, segment)
            if path in self._tables:
                path = (*path, self._tables[path])
        return (*path, *key[-1:])

    def _entry(self, table: Path) -> None:
        line = self._here()
        path = (*table, *self._key())
        self.position += 1  # the equals sign
        self._take(_SPACE)
        self._note(path, line, start=len(table) + 1)
        self._value(path)

    def _note(self, path: Path, line: int, start: int = 1) -> None:
        for length in range(start, len(path) + 1):
            self.lines.setdefault(path[:length], line)

    def _key(self) -> Path:
        segments: list[str] = []
        while True:
            self._take(_SPACE)
            quoted = self._take(_TEXT)
            segments.append(_unquoted(quoted) if quoted else self._take(_BARE_KEY))
            self._take(_SPACE)
            if self._peek() != ".":
                return tuple(segments)
            self.position += 1

    def _value(self, path: Path) -> None:
        head = self._peek()
        if head == "[":
            self._elements(path)
        elif head == "{":
            self._inline_table(path)
        elif not self._take(_TEXT):
            self.bare[path] = self._take(_BARE_VALUE).strip()

    def _elements(self, path: Path) -> None:
        self.position += 1
        index = 0
        while True:
            self._take(_BLANK)
            if self._peek() == "]":
                break
            self.lines[(*path, index)] = self._here()
            self._value((*path, index))
            index += 1
            self._take(_BLANK)
            self._comma()
        self.position += 1

    def _inline_table(self, path: Path) -> None:
        self.position += 1
        while True:
            self._take(_BLANK)
            if self._peek() == "}":
                break
            self._entry(path)
            self._take(_BLANK)
            self._comma()
        self.position += 1

    def _comma(self) -> None:
        if self._peek() == ",":
            self.position += 1

    def _peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.position)
        if match is None:
            return ""
        self.position = match.end()
        return match.group()

    def _here(self) -> int:
        self._line += self.text.count("\n", self._counted, self.position)
        self._counted = self.position
        return self._line


def _unquoted(text: str) -> str:
    import tomllib

    key: str = next(iter(tomllib.loads(f"{text} = 0")))
    return key
