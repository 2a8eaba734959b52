"""Find a recipe (a file, or a built-in by its name) and read it: bytes, plain values, the line of every key.

What the values mean is decided in layers.py; the syntaxes are read in yaml_text.py, toml_text.py and json_text.py.
"""

import codecs
import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from samerun.base.text import nearest
from samerun.config.document import Document, Reading
from samerun.config.json_text import read_json
from samerun.config.problems import SYNTAX, is_unicode, raise_problems
from samerun.config.toml_text import read_toml
from samerun.config.yaml_text import read_yaml
from samerun.errors import ConfigError

_READERS: Final[dict[str, Callable[[str, str], Reading]]] = {
    ".yaml": read_yaml,
    ".yml": read_yaml,
    ".toml": read_toml,
    ".json": read_json,
}
SCRIPT: Final = ".py"
SUFFIXES: Final = tuple(_READERS)
SIZE_LIMIT: Final = 4 * 1024 * 1024
"""A recipe is settings, not data: at most 4 MiB."""

_EXAMPLE: Final = (
    "write settings as `key: value`, the first one `trainer: supervised`; samerun explain digits shows all"
)
_WIDE: Final = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
"""Byte order mark -> encoding; a mark of UTF-32 begins with one of UTF-16, so it is asked for first."""


def built_in_recipes() -> dict[str, bytes]:
    """Return the recipes inside the package by name, sorted."""
    folder = files("samerun").joinpath("recipes")
    found = {entry.name: entry for entry in folder.iterdir() if entry.name.endswith(".yaml")}
    return {name.removesuffix(".yaml"): found[name].read_bytes() for name in sorted(found)}


def load_recipe(recipe: str | Path | bytes | Mapping[str, Any], *, name: str = "recipe.yaml") -> Document:
    """Read a recipe: a path, the name of a built-in recipe, the bytes of one (`name` gives the syntax), or a mapping.

    Raises ConfigError: SR-CONFIG-002 where there is no such file (or it is a folder, or unreadable), -003 where it
    cannot be read as what it claims to be (empty, not UTF-8, several documents), -007 for duplicate keys.
    """
    document = read_recipe(recipe, name=name)
    if document.problems:
        raise_problems(document.problems, document.name)
    return document


def read_recipe(recipe: str | Path | bytes | Mapping[str, Any], *, name: str = "recipe.yaml") -> Document:
    """Read as `load_recipe` does, but leave what need not end the reading in `Document.problems`."""
    if isinstance(recipe, bytes):
        return _parsed(recipe, name, Path(name).name)
    if isinstance(recipe, Mapping):
        return _from_mapping(recipe)
    if isinstance(recipe, str) and not _looks_like_path(recipe):
        built_in = built_in_recipes()
        if recipe in built_in:
            return _parsed(built_in[recipe], f"{recipe}.yaml", f"{recipe}.yaml")
        if not Path(recipe).exists():
            raise _unknown(recipe, list(built_in))
    path = Path(recipe)
    return _parsed(_bytes_of(path), str(recipe), path.name)


def _looks_like_path(text: str) -> bool:
    return "/" in text or text.endswith(SUFFIXES)


def _unknown(text: str, known: list[str]) -> ConfigError:
    close = nearest(text, known)
    return ConfigError(
        "SR-CONFIG-002",
        f"no recipe is called '{text}'" + (f"; did you mean '{close}'?" if close else ""),
        evidence=[f"built in: {', '.join(known) or 'none'}", f"no file '{text}' here"],
        do=f"samerun train {close or (known[0] if known else 'recipe.yaml')}",
    )


def _bytes_of(path: Path) -> bytes:
    if path.is_dir():
        inside = sorted(entry.name for entry in path.iterdir() if entry.suffix in SUFFIXES)
        raise ConfigError(
            "SR-CONFIG-002",
            f"{path} is a folder, not a recipe",
            evidence=[f"recipes in it: {', '.join(inside[:5]) or 'none'}"],
            do=f"name a file: {path / inside[0] if inside else path / 'recipe.yaml'}",
        )
    if path.suffix == SCRIPT:
        raise ConfigError(
            "SR-CONFIG-002",
            f"{path} is a script: its settings are known when it runs",
            evidence=[f"wanted: a recipe, {', '.join(SUFFIXES)}"],
            do=f"samerun train {path} --stop-after 0, then: samerun identity @last",
        )
    if path.suffix not in SUFFIXES:
        raise ConfigError(
            "SR-CONFIG-002",
            f"{path} is no recipe by its name",
            evidence=[f"found: '{path.suffix}'", f"wanted: one of {', '.join(SUFFIXES)}"],
            do="give the file the ending of its syntax",
        )
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError("SR-CONFIG-002", f"{path} cannot be read: {reason}", do="check the path") from error
    if len(data) > SIZE_LIMIT:
        raise ConfigError("SR-CONFIG-003", f"{path} is larger than 4 MiB: no recipe", do="name a recipe file")
    return data


def _parsed(raw: bytes, name: str, file_name: str) -> Document:
    text = _decoded(raw, name)
    reader = _READERS.get(Path(file_name).suffix, read_yaml)
    if not text.strip():
        raise ConfigError(SYNTAX, "the recipe is empty", evidence=[name], do=_EXAMPLE)
    reading = reader(text, name)
    if not isinstance(reading.value, dict):
        found = "nothing" if reading.value is None else "a list" if isinstance(reading.value, list) else "a value"
        raise ConfigError(
            SYNTAX,
            f"the recipe holds {found}, not a table of settings",
            evidence=[name],
            do=_EXAMPLE,
        )
    return Document(reading.value, reading.lines, name, file_name, raw, reading.problems)


def _decoded(raw: bytes, name: str) -> str:
    wide = next((encoding for mark, encoding in _WIDE.items() if raw.startswith(mark)), None)
    if wide is not None:
        raise ConfigError(
            SYNTAX, f"the recipe is {wide}, not UTF-8", evidence=[name], do=f"iconv -f {wide} -t UTF-8 {name}"
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            SYNTAX,
            f"the recipe is not UTF-8: byte 0x{raw[error.start]:02x} in line {line}",
            evidence=[f"{name}:{line}"],
            do=f"iconv -f ISO-8859-1 -t UTF-8 {name}",
        ) from error


def _from_mapping(recipe: Mapping[str, Any]) -> Document:
    try:
        text = json.dumps(recipe, indent=2, ensure_ascii=False)
        # Half a surrogate pair stays, escaped, so that it is refused by its path and line as in a file.
        raw = (text if is_unicode(text) else json.dumps(recipe, indent=2)).encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise ConfigError(
            SYNTAX,
            f"the settings are no plain values: {error}",
            evidence=["wanted: tables, lists, text, numbers, truth values and null"],
            do="convert the value before passing it",
        ) from error
    document = _parsed(raw, "the settings", "settings.json")
    return Document(document.data, {}, document.name, document.file_name, raw, document.problems)
