"""One `-s key.path=value` of the command line: its path, its value, and how it is named in messages and records."""

import re
from dataclasses import dataclass
from typing import Any, Final

from samerun.base.redact import is_secret_key, is_secret_text, redact
from samerun.config.problems import format_path, parse_path, printable, shortened
from samerun.config.yaml_text import plain_scalar, read_yaml_value
from samerun.errors import ConfigError

_FORM = re.compile(r'\s*((?:"(?:[^"\\]|\\.)*"|[^="])+?)\s*=(.*)', re.DOTALL)
# A text of these characters is a plain scalar of YAML, and needs no parser, unless it is one of the marks.
_SIMPLE = re.compile(r"[A-Za-z0-9_./+-]+(:[A-Za-z0-9_./+-]+)*")
_MARKS: Final = frozenset(("-", "---", "..."))


@dataclass(frozen=True)
class Setting:
    """A value for one path, above every other layer. `where` names it: "-s model.hidden=[64]", or "--seed 7"."""

    path: tuple[str, ...]
    value: Any
    where: str


def parse_setting(text: str) -> Setting:
    """Read `key.path=value`; the value is one YAML 1.2 scalar or flow value, and nothing is null.

    Raises ConfigError SR-CONFIG-008 where it is not of that form, SR-CONFIG-003 where the value is not YAML.
    """
    match = _FORM.fullmatch(text)
    path = parse_path(match.group(1)) if match else None
    if match is None or path is None:
        shown = "..." if is_secret_text(text) else printable(shortened(text))
        raise ConfigError(
            "SR-CONFIG-008",
            f"'{shown}' is not the path of a setting, '=', and a value",
            evidence=[f"-s {shown}"],
            do="samerun train RECIPE -s optimizer.learning_rate=1e-4",
        )
    value_text = match.group(2).strip(" ")
    where = printable(f"-s {shortened(format_path(path))}={_shown(path, value_text)}")
    return Setting(path, _value(value_text, where), where)


def _value(text: str, where: str) -> Any:
    if _SIMPLE.fullmatch(text) and text not in _MARKS:
        return plain_scalar(text)
    return read_yaml_value(text, where)


def _shown(path: tuple[str, ...], text: str) -> str:
    """Return the value for messages and records: never a secret, never long."""
    _, hidden = redact({path[-1]: text})
    if hidden or is_secret_text(text) or (is_secret_key(path[-1]) and not text.startswith(("env:", "file:"))):
        return "..."
    return shortened(text)
