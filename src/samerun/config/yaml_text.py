"""YAML 1.2 as a recipe is written in it, read from ruamel's events so that every key keeps its line.

Plain scalars are null, true, false or a number by the rules below, else text: `no`, `off`, `012`, `12:30:00`,
`1_000` and dates are text. Tags, merge keys and keys that are not text are refused; nothing is constructed but plain
values. JSON and TOML have readers of their own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from samerun.config.document import Reading
from samerun.config.problems import DUPLICATE_KEY, SYNTAX, WRONG_VALUE, Path, Problem
from samerun.errors import ConfigError

DEPTH_LIMIT: Final = 50
NODE_LIMIT: Final = 100_000
DIGIT_LIMIT: Final = 400

_WORDS: Final[dict[str, object]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((sign + word for sign in ("", "+") for word in (".inf", ".Inf", ".INF")), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_BASED = re.compile(r"0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_DIRECTIVE = re.compile(r"^(?!%YAML\s+1\.2\s*(#|$))%.*$", re.MULTILINE)
_BEFORE_DOCUMENT = re.compile(r"\A(?:[ \t]*(?:#[^\n]*)?\r?\n|%[^\n]*\n)*")


def plain_scalar(text: str) -> Any:
    """Resolve an unquoted YAML scalar: null, a truth value, a number, or the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    if not text[:1] or text[0] not in "0123456789+-.":
        return text
    if _INTEGER.fullmatch(text) and len(text) <= DIGIT_LIMIT:
        # -0 is what becomes of -0.0 in other hands: it stays negative here, to be refused with it.
        return -0.0 if text == "-0" else int(text)
    if _BASED.fullmatch(text):
        return int(text, 0)
    return float(text) if _FLOAT.fullmatch(text) and len(text) <= DIGIT_LIMIT else text


def read_yaml(text: str, name: str) -> Reading:
    """Read one YAML document. Raises ConfigError SR-CONFIG-003 with the line where it cannot be read at all."""
    prolog = _BEFORE_DOCUMENT.match(text)
    directive = _DIRECTIVE.search(text, 0, prolog.end()) if prolog else None
    if directive:
        _fail(name, text.count("\n", 0, directive.start()) + 1, f"the directive {directive.group()} is not read")
    composer = _Composer(_events(text, name), name)
    value = composer.document()
    return Reading(value, composer.lines, tuple(composer.problems))


def read_yaml_value(text: str, where: str) -> Any:
    """Read the value of one `-s`: a scalar or a flow value ([1, 2], {a: 1}), nothing else."""
    if "\n" in text or "\r" in text:
        _fail(where, 0, "the value has more than one line: put it in double quotes, with \\n")
    try:
        events = list(_events(text, where))
    except ConfigError as error:
        # The line is always 1 here, and says nothing.
        raise ConfigError(error.code, error.what, evidence=[where], do="put the text in double quotes") from error
    for event in events:
        if type(event).__name__ in ("MappingStartEvent", "SequenceStartEvent") and not event.flow_style:
            _fail(where, 0, "the value is a YAML block: quote the text, or write a flow value such as {a: 1} or [1, 2]")
    contents = [event for event in events if not type(event).__name__.startswith(("Stream", "Document"))]
    end = contents[-1].end_mark.index if contents else 0
    if text[end:].strip(" "):
        _fail(where, 0, f'"{text[end:].strip(" ")}" would be dropped as a comment: put the whole value in quotes')
    composer = _Composer(iter(events), where)
    try:
        value = composer.document()
    except ConfigError as error:
        raise ConfigError(error.code, error.what, evidence=[where], do=f"correct {where}") from error
    if composer.problems:
        _fail(where, 0, composer.problems[0].sentence)
    return value


def _joined(text: str) -> str:
    """Join escaped surrogate pairs as JSON does, whose texts are all YAML: "\\ud83d\\ude00" is one character."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _fail(name: str, line: int, sentence: str) -> NoReturn:
    where = f"{name}:{line}" if line else name
    raise ConfigError(SYNTAX, sentence, evidence=[where], do=f"correct {where}")


def _events(text: str, name: str) -> Iterator[Any]:
    # ruamel costs 20 ms to import; recipes in TOML and JSON and simple -s values do without it.
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.reader import ReaderError

    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as error:
        # A line without its colon is noticed only on the next line; every other fault stands where it is noticed.
        is_key = error.context == "while scanning a simple key"
        mark = error.context_mark if is_key else error.problem_mark or error.context_mark
        _fail(name, mark.line + 1 if mark else 0, " ".join(part for part in (error.context, error.problem) if part))
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        _fail(name, line, f"the character U+{ord(text[error.position]):04X} may not stand in YAML")
    except (YAMLError, RecursionError) as error:
        _fail(name, 0, f"the text cannot be read as YAML: {error}")


@dataclass(frozen=True)
class _Anchored:
    value: Any
    size: int


@dataclass
class _Composer:
    """Turns events into plain values; `lines` and `problems` fill as it goes."""

    events: Iterator[Any]
    name: str
    lines: dict[Path, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    anchors: dict[str, _Anchored | None] = field(default_factory=dict)
    nodes: int = 0

    def document(self) -> Any:
        """Compose the only document of the stream; an empty stream is None."""
        next(self.events)  # the start of the stream
        event = next(self.events)
        if type(event).__name__ == "StreamEndEvent":
            return None
        value = self._node(next(self.events), ())
        next(self.events)  # the end of the document
        event = next(self.events)
        if type(event).__name__ != "StreamEndEvent":
            _fail(self.name, event.start_mark.line + 1, "a second document starts here: a recipe is one document")
        return value

    def _node(self, event: Any, path: Path) -> Any:
        self.nodes += 1
        if len(path) > DEPTH_LIMIT or self.nodes > NODE_LIMIT:
            _fail(self.name, event.start_mark.line + 1, "nested too deeply, or too large for a recipe")
        kind = type(event).__name__
        if kind == "AliasEvent":
            return self._alias(event)
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._problem(event, path, f"the tag {tag} is not read: write plain values", WRONG_VALUE)
        before = self.nodes
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        if kind == "ScalarEvent":
            value = plain_scalar(event.value) if event.implicit[0] else _joined(event.value)
        else:
            value = self._sequence(path) if kind == "SequenceStartEvent" else self._mapping(path)
        if event.anchor is not None:
            self.anchors[event.anchor] = _Anchored(value, self.nodes - before + 1)
        return value

    def _alias(self, event: Any) -> Any:
        line = event.start_mark.line + 1
        if event.anchor not in self.anchors:
            _fail(self.name, line, f"*{event.anchor} refers to no anchor above it")
        anchored = self.anchors[event.anchor]
        if anchored is None:
            _fail(self.name, line, f"*{event.anchor} stands within itself")
        self.nodes += anchored.size
        return anchored.value

    def _sequence(self, path: Path) -> list[Any]:
        items: list[Any] = []
        while type(event := next(self.events)).__name__ != "SequenceEndEvent":
            here = (*path, len(items))
            self.lines[here] = event.start_mark.line + 1
            items.append(self._node(event, here))
        return items

    def _mapping(self, path: Path) -> dict[str, Any]:
        table: dict[str, Any] = {}
        while type(event := next(self.events)).__name__ != "MappingEndEvent":
            key = self._key(event, path)
            here = (*path, key)
            first = self.lines.get(here)
            if key in table and first is not None:
                self._problem(event, here, f"'{key}' stands twice; the first is in line {first}", DUPLICATE_KEY)
                self._node(next(self.events), (*path, f"{key} (second)"))
                continue
            self.lines[here] = event.start_mark.line + 1
            table[key] = self._node(next(self.events), here)
        return table

    def _key(self, event: Any, path: Path) -> str:
        if type(event).__name__ != "ScalarEvent":
            _fail(self.name, event.start_mark.line + 1, "a key is text, not a list, a table or an alias")
        text = _joined(event.value)
        if event.tag is not None or (event.implicit[0] and not isinstance(plain_scalar(text), str)):
            self._problem(event, (*path, text), f"the key {text} is not text: put it in quotes", WRONG_VALUE)
        elif event.implicit[0] and text == "<<":
            self._problem(event, (*path, text), "merge keys (<<) are not YAML 1.2: write the values out", WRONG_VALUE)
        return text

    def _problem(self, event: Any, path: Path, sentence: str, code: str) -> None:
        line = event.start_mark.line + 1
        self.problems.append(Problem(line, f"{self.name}:{line}", sentence, code))
