"""Kinds of single values that settings are made of: seeds, secrets, cadences, names.

Each refuses what it cannot take with a whole sentence. Tables of settings are in schema.py; whether a value is
identity is a matter of its field, not of its kind.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, GetCoreSchemaHandler, GetJsonSchemaHandler, PlainValidator, WithJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from samerun.base.clock import parse_duration
from samerun.base.places import is_local_path, shown_path
from samerun.base.revealed import remember
from samerun.errors import MissingError, SamerunError

SECRET_WANTED: Final = "a secret is given as env:NAME or file:PATH, never as the value itself"
SEED_LIMIT: Final = 2**128
"""Seeds are integers 0 <= s < 2^128: the width of a Philox key."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_OPERATION = re.compile(r"\w+::\w+(\.\w+)?", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def refusal(kind: str, sentence: str) -> PydanticCustomError:
    """Make the error that a value of ours raises in a validator; its sentence reaches the user as it stands."""
    return PydanticCustomError(f"samerun_{kind}", "{sentence}", {"sentence": sentence})


def _seed(value: object) -> int:
    if isinstance(value, bool):
        raise refusal("seed", f"a seed is an integer; {str(value).lower()} is a truth value")
    if isinstance(value, float):
        raise refusal("seed", f"a seed is an integer; {value!r} is a number with a decimal point: write {value:.0f}")
    if isinstance(value, str):
        raise refusal("seed", f'a seed is an integer; "{value[:40]}" is text: remove the quotes')
    if not isinstance(value, int):
        raise refusal("seed", f"a seed is an integer or null, not a {_json_kind(value)}")
    if value < 0:
        raise refusal("seed", f"a seed is at least 0; {str(value)[:60]} is negative")
    if value >= SEED_LIMIT:
        raise refusal("seed", f"a seed is below 2^128; {str(value)[:60]} is not")
    return value


def _json_kind(value: object) -> str:
    return {dict: "table", list: "list", tuple: "list", type(None): "null"}.get(type(value), type(value).__name__)


Seed = Annotated[
    int, PlainValidator(_seed), WithJsonSchema({"type": "integer", "minimum": 0, "maximum": SEED_LIMIT - 1})
]
"""A master seed: an integer 0 <= s < 2^128; true, 7.0 and "7" are refused."""


def _cadence(value: object) -> int | str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise refusal("cadence", f'a number of steps or a duration such as "15min", not {value!r}')
    if isinstance(value, int):
        if value < 1:
            raise refusal("cadence", f"at least every 1 step, not every {value}")
        return value
    try:
        seconds = parse_duration(value)
    except (SamerunError, ValueError):
        seconds = 0.0
    if seconds <= 0:
        raise refusal("cadence", f'"{value[:40]}" is neither a number of steps nor a duration such as "90s" or "15min"')
    return value


Cadence = Annotated[
    int | str,
    PlainValidator(_cadence),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "examples": ["15min"]}]}),
]
"""How often: an integer number of steps, or a duration as text ("15min", "90s", "1h30m")."""


def _matching(pattern: re.Pattern[str], kind: str, wanted: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        if pattern.fullmatch(value) is None:
            raise refusal(kind, f'"{value[:60]}" is not {wanted}')
        return value

    return check


RunName = Annotated[
    str,
    AfterValidator(_matching(_NAME, "name", "a name: letters, digits, '.', '_' and '-', at most 100 of them")),
    WithJsonSchema({"type": "string", "pattern": f"^{_NAME.pattern}$"}),
]
"""A label that can stand in a folder name."""

_operation = _matching(_OPERATION, "operation", "an operation such as aten::cumsum")


def _operations(value: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({_operation(name) for name in value}))


Operations = Annotated[tuple[str, ...], AfterValidator(_operations)]
"""Names of torch operations, as a set: sorted, each once."""


@dataclass(frozen=True, repr=False)
class Secret:
    """Where a secret is read from when it is needed: `env:NAME` or `file:PATH`, never the secret itself.

    It holds the reference alone: no copy, pickle, message or document of it can hold the value.
    """

    reference: str

    def __repr__(self) -> str:
        return f"Secret({self.shown!r})"

    @property
    def shown(self) -> str:
        """The reference as it is recorded: without the folders of this machine."""
        return shown_path(self.reference) if is_local_path(self.reference) else self.reference

    def reveal(self) -> str:
        """Read the secret now. The caller keeps it out of every file and message; what we write is searched for it.

        Raises MissingError SR-CONFIG-016 when the variable is unset or empty, or the file cannot be read or is empty.
        """
        value = self._read()
        remember(value)
        return value

    def _read(self) -> str:
        source, _, name = self.reference.partition(":")
        if source == "env":
            value = os.environ.get(name)
            if not value:
                state = "not set" if value is None else "empty"
                raise MissingError(
                    "SR-CONFIG-016", f"the environment variable {name} is {state}", do=f"export {name}=..."
                )
            return value
        try:
            value = Path(name).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise _no_file(name, f"cannot be read: {reason}") from error
        if not value:
            raise _no_file(name, "is empty")
        return value

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _secret, serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value.reference)
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "pattern": "^(env|file):.+$"}


def _no_file(name: str, problem: str) -> MissingError:
    return MissingError("SR-CONFIG-016", f"the secret file {name} {problem}", do="check the path after file:")


def _secret(value: object) -> Secret:
    if isinstance(value, Secret):
        value = value.reference
    if isinstance(value, str):
        source, _, name = value.partition(":")
        if (source == "env" and _VARIABLE.fullmatch(name)) or (source == "file" and name):
            return Secret(value)
    # The value may be the secret itself: it is never repeated in a message.
    raise refusal("secret", SECRET_WANTED)
