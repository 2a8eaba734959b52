"""What a command prints: the result on stdout, everything else on stderr, one JSON document under `--json`.

Errors have four parts (code, what, evidence, do) in both forms. No verb prints by itself: it hands its document and
its text to `Output`. The options that every verb shares are added by `options.py`.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from samerun.errors import SamerunError

LARGEST_EXACT_INTEGER = 2**53
ANSI = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "bold": "1", "dim": "2"}
VERDICTS = {"same": "green", "different": "red", "cannot_say": "yellow"}
ERROR_SCHEMA = "samerun.error/1"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_STYLE = re.compile(r"(\x1b\[[0-9;]{0,9}m)")


def jsonable(value: object) -> Any:
    """Return `value` as strict JSON values: the same spelling of odd numbers as in the files of a run folder.

    NaN and infinities become "NaN", "Infinity", "-Infinity"; integers beyond 2^53 become decimal text; paths get
    forward slashes; dataclasses and named tuples become objects and lists. Anything unknown is a TypeError: our bug.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return jsonable(value.value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value) if abs(value) <= LARGEST_EXACT_INTEGER else str(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _odd_number(value)
    if isinstance(value, PurePath):
        return value.as_posix()
    return _jsonable_container(value)


def _jsonable_container(value: object) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: jsonable(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return [jsonable(item) for item in sorted(value)]
    from collections.abc import Mapping as AnyMapping

    if isinstance(value, AnyMapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _odd_number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


@dataclass(slots=True)
class Output:
    """How one command speaks. The shared options set these fields before the verb runs."""

    verb: str = "samerun"
    is_json: bool = False
    is_quiet: bool = False
    verbosity: int = 0
    color: str = "auto"

    def result(self, document: Mapping[str, object], text: str) -> None:
        """Print the one result: `document` with its schema first under `--json`, else `text`."""
        if self.is_json:
            self._write(sys.stdout, self._encode({"schema": f"samerun.{self.verb}/1", **document}))
        elif text:
            self._write(sys.stdout, text)

    def note(self, text: str) -> None:
        """Say something about what is being done; silent under `-q`."""
        if not self.is_quiet:
            self._write(sys.stderr, _without_secrets(text))

    def traceback(self, error: BaseException) -> None:
        """Print where an exception was raised, without the secrets that its text may quote."""
        import traceback

        self._write(sys.stderr, _without_secrets("".join(traceback.format_exception(error))).rstrip("\n"))

    def error(self, error: SamerunError) -> None:
        """Print the four parts of an error: on stderr, or as the one JSON document on stdout."""
        exit_code = int(error.exit_code)
        if self.is_json:
            document = {"schema": ERROR_SCHEMA, "error": _clean(error), "exit": exit_code, "kind": error.kind}
            self._write(sys.stdout, self._encode(document))
            return
        parts = _clean(error)
        head = self.paint(f"error {parts['code']}", "red", sys.stderr)
        lines = [f"{head}: {parts['what']}"]
        lines += [f"  {line}" for line in parts["evidence"]]
        lines += [f"  {self.paint('do:', 'bold', sys.stderr)} {parts['do']}"]
        self._write(sys.stderr, "\n".join(lines))

    @contextmanager
    def own_stdout(self) -> Iterator[None]:
        """Keep standard output for the one document: what a training prints meanwhile goes to standard error.

        Only under `--json`, and for the file descriptor itself, so that child processes and C code obey too.
        """
        if not self.is_json:
            yield
            return
        sys.stdout.flush()
        kept = os.dup(1)
        os.dup2(2, 1)
        try:
            yield
        finally:
            sys.stdout.flush()
            os.dup2(kept, 1)
            os.close(kept)

    def paint(self, text: str, style: str, stream: TextIO | None = None) -> str:
        """Return `text` in a colour or style of `ANSI` where the stream takes one."""
        if not self.has_color(stream or sys.stdout):
            return text
        return f"\x1b[{ANSI[style]}m{text}\x1b[0m"

    def verdict(self, verdict: str) -> str:
        """Return a verdict in its colour, where standard output takes one."""
        return self.paint(verdict, VERDICTS[verdict])

    def has_color(self, stream: TextIO) -> bool:
        """Say whether colours may go to `stream`: the option decides, then NO_COLOR, then whether it is a terminal."""
        if self.color != "auto":
            return self.color == "always"
        if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            return False
        return stream.isatty()

    def _encode(self, document: Mapping[str, object]) -> str:
        text = json.dumps(jsonable(document), indent=2, ensure_ascii=False, allow_nan=False)
        return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)

    def _write(self, stream: TextIO, text: str) -> None:
        encoding = stream.encoding or "utf-8"
        text = _without_revealed(text)
        # A record may be a stranger's: nothing of it moves the cursor or sets the title of a window.
        pieces = _STYLE.split(text) if self.has_color(stream) else [text]
        pieces[::2] = [_CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", piece) for piece in pieces[::2]]
        text = "".join(pieces)
        # A name may hold what the terminal cannot show (LANG=C): shown escaped, never a traceback.
        printable = text.encode(encoding, "backslashreplace").decode(encoding)
        try:
            stream.write(printable + "\n")
            stream.flush()
        except BrokenPipeError:
            # `samerun ls | head`: the reader has what it wants; the answer and its exit code stand.
            import signal

            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            signal.raise_signal(signal.SIGPIPE)


def _clean(error: SamerunError) -> dict[str, Any]:
    """Return the four parts of an error without secrets: what it tells may be somebody else's text."""
    return {
        key: [_without_secrets(line) for line in part] if isinstance(part, list) else _without_secrets(part)
        for key, part in error.as_json().items()
    }


def _without_secrets(text: str) -> str:
    from samerun.base.redact import redact_text

    return redact_text(text)


def _without_revealed(text: str) -> str:
    """Take out the secrets that this process has read; one that has read none does not load what finds them."""
    module = sys.modules.get("samerun.base.redact")
    return text if module is None else str(module.without_revealed(text))


def table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> list[str]:
    """Align rows of text under a header; the last column is not padded."""
    everything = [list(header), *[list(row) for row in rows]]
    widths = [max(len(row[column]) for row in everything) for column in range(len(header))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in everything
    ]


def pairs(items: Iterable[tuple[str, object]], indent: str = "") -> list[str]:
    """Align `name  value` lines."""
    rows = [(name, spell(value)) for name, value in items]
    width = max((len(name) for name, _ in rows), default=0)
    return [f"{indent}{name.ljust(width)}  {value}".rstrip() for name, value in rows]


def spell(value: object) -> str:
    """Return a value on one line, as a recipe would spell it."""
    if isinstance(value, str):
        return value
    if isinstance(value, PurePath):
        return value.as_posix()
    if isinstance(value, float) and not isinstance(value, bool):
        return f"{value:.6g}" if math.isfinite(value) else _odd_number(value)
    return json.dumps(jsonable(value), ensure_ascii=False)
