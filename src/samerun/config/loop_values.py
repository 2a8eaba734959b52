"""Read a loop's config object into plain values: tables of text, numbers, truth values and None, and lists of them.

Anything that has no obvious plain form is refused by its path, never guessed. What counts as identity is bind.py's.
"""

import dataclasses
import math
import sys
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import PurePath
from types import SimpleNamespace
from typing import Any, Final, get_type_hints

from pydantic import BaseModel

from samerun.base.canon import canonical_bytes
from samerun.config.problems import Path, format_path, is_unicode
from samerun.config.schema import SECRET_REASON, Aside, Secret, Standing, standing_of
from samerun.errors import ConfigError

CODE: Final = "SR-CONFIG-013"
DEPTH_LIMIT: Final = 50


def plain_table(config: object, marks: dict[Path, Standing]) -> dict[str, Any]:
    """Read the whole object; `marks` fills with what annotations set aside. None is an empty table.

    Raises ConfigError SR-CONFIG-013 naming the path of what has no plain form (or is no Unicode text), SR-CONFIG-010
    for -0.0.
    """
    reader = _Reader(marks)
    entries = () if config is None else reader.entries(config, ())
    if entries is None:
        raise _refusal((), config, "a dict, dataclass, pydantic model, argparse.Namespace or OmegaConf")
    return reader.read_table(config, entries, ())


class _Reader:
    """Turns a config object into plain values; `marks` fills with what annotations set aside."""

    def __init__(self, marks: dict[Path, Standing]) -> None:
        self.marks = marks
        self._above: list[int] = []

    def _read(self, value: Any, path: Path) -> Any:
        if value is None or (isinstance(value, bool | str) and not isinstance(value, Enum)):
            return value if value is None or isinstance(value, bool) else _text(str(value), path)
        if isinstance(value, Enum):
            return self._read(value.value, path)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            return _number(float(value), path)
        if isinstance(value, PurePath):
            return _text(value.as_posix(), path)
        if isinstance(value, Secret):
            self.marks[path] = Standing("aside", SECRET_REASON)
            return value.reference
        entries = self.entries(value, path)
        if entries is not None:
            return self.read_table(value, entries, path)
        if isinstance(value, list | tuple | set | frozenset):
            return self._read_items(value, path)
        return self._foreign(value, path)

    def _foreign(self, value: Any, path: Path) -> Any:
        """Read values of NumPy, torch and OmegaConf; where their module is not loaded, there are none."""
        numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
        if numpy is not None and isinstance(value, numpy.generic):
            return self._read(value.item(), path)
        if torch is not None and isinstance(value, torch.dtype | torch.device | torch.memory_format | torch.layout):
            return str(value)
        if type(value).__module__.startswith("omegaconf"):
            return self._read(_omegaconf(value, path), path)
        raise _refusal(path, value, "text, a number, true, false, None, a path, an enum, or a list or table of these")

    def read_table(self, owner: Any, entries: Iterable[tuple[Any, Any]], path: Path) -> dict[str, Any]:
        """Read the pairs of a table; `owner` is the object they are of."""
        table: dict[str, Any] = {}
        with self._inside(owner, path):
            for key, value in entries:
                name = _key(key, path)
                if name in table:
                    raise _refusal((*path, name), key, "keys that differ as text")
                table[name] = self._read(value, (*path, name))
        return table

    def _read_items(self, items: Any, path: Path) -> list[Any]:
        with self._inside(items, path):
            values = [self._read(item, (*path, index)) for index, item in enumerate(items)]
        # A set has no order: that of its canonical bytes is one that every process agrees on.
        return sorted(values, key=canonical_bytes) if isinstance(items, set | frozenset) else values

    def _inside(self, owner: Any, path: Path) -> "_Inside":
        if id(owner) in self._above or len(path) > DEPTH_LIMIT:
            raise _refusal(path, owner, "a tree: this stands within itself, or nests too deeply")
        return _Inside(self._above, id(owner))

    def entries(self, value: Any, path: Path) -> Iterable[tuple[Any, Any]] | None:
        """Return the (key, value) pairs of whatever is a table of names; None of anything else."""
        if isinstance(value, Mapping):
            return _omegaconf(value, path).items() if type(value).__module__.startswith("omegaconf") else value.items()
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            self._mark_dataclass(value, path)
            return [(item.name, getattr(value, item.name)) for item in dataclasses.fields(value)]
        if isinstance(value, BaseModel):
            return self._pydantic(value, path)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return [(name, getattr(value, name)) for name in value._fields]  # a named tuple
        argparse = sys.modules.get("argparse")
        is_namespace = isinstance(value, SimpleNamespace) or (argparse and isinstance(value, argparse.Namespace))
        return list(vars(value).items()) if is_namespace else None

    def _mark_dataclass(self, value: Any, path: Path) -> None:
        try:
            hints = get_type_hints(type(value), include_extras=True)
        except (NameError, TypeError):
            hints = {}  # annotations that name what is not there: a config may still be plain values
        for item in dataclasses.fields(value):
            reason = item.metadata.get("aside")
            marks = [mark for mark in getattr(hints.get(item.name), "__metadata__", ()) if isinstance(mark, Aside)]
            if reason or marks:
                self.marks[(*path, item.name)] = Standing("aside", str(reason or marks[0].reason))

    def _pydantic(self, value: BaseModel, path: Path) -> list[tuple[str, Any]]:
        for name, info in type(value).model_fields.items():
            standing = standing_of(info)
            if standing.group == "aside":
                self.marks[(*path, name)] = standing
        return [
            *((name, getattr(value, name)) for name in type(value).model_fields),
            *(value.model_extra or {}).items(),
        ]


class _Inside:
    """Remembers, within a block, which objects stand around the one being read."""

    def __init__(self, above: list[int], owner: int) -> None:
        self._above, self._owner = above, owner

    def __enter__(self) -> None:
        self._above.append(self._owner)

    def __exit__(self, *error: object) -> None:
        self._above.pop()


def _omegaconf(value: Any, path: Path) -> Any:
    """Resolve an OmegaConf container into plain ones. It is installed where such an object exists."""
    from importlib import import_module

    omegaconf: Any = import_module("omegaconf")
    try:
        return omegaconf.OmegaConf.to_container(value, resolve=True, throw_on_missing=True)
    except omegaconf.errors.OmegaConfBaseException as error:
        at = format_path(path) or "the config"
        raise ConfigError(
            CODE,
            f"{at} cannot be resolved by OmegaConf",
            evidence=[" ".join(str(error).split())],
            do="give every ??? a value and every ${...} a target before samerun.start",
        ) from error


def _key(key: Any, path: Path) -> str:
    if isinstance(key, Enum):
        return _key(key.value, path)
    if isinstance(key, str):
        return _text(str(key), (*path, str(key)))
    if isinstance(key, int) and not isinstance(key, bool):
        return str(int(key))
    raise _refusal((*path, repr(key)), key, "keys that are text or integers")


def _text(value: str, path: Path) -> str:
    if not is_unicode(value):
        raise ConfigError(
            CODE,
            f"'{format_path(path)}' is text with half a surrogate pair, which is no Unicode text",
            evidence=["in the config given to samerun.start"],
            do="correct the text, or leave it out of the config; a file name that is not UTF-8 can be renamed",
        )
    return value


def _number(value: float, path: Path) -> float:
    if value == 0 and math.copysign(1.0, value) < 0:
        raise ConfigError(
            "SR-CONFIG-010",
            f"'{format_path(path)}' is -0.0, which is equal to 0.0 and is not",
            evidence=["in the config given to samerun.start"],
            do="write 0.0",
        )
    return value


def _refusal(path: Path, value: object, wanted: str) -> ConfigError:
    kind = type(value)
    at = f"'{format_path(path)}'" if path else "the config"
    return ConfigError(
        CODE,
        f"{at} is of type {kind.__module__}.{kind.__qualname__}, which has no plain form",
        evidence=[f"wanted: {wanted}"],
        do="put its plain form into the config (a name, a list, a number), or leave it out of the config",
    )
