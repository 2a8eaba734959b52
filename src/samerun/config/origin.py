"""Which layer gave a value and where, and the rows that `explain` prints. The layers themselves are in layers.py."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from samerun.base.text import nearest
from samerun.config.problems import format_path, parse_path
from samerun.config.schema import Standing
from samerun.errors import NoMatchError

Layer = Literal["default", "recipe", "set", "code", "restored"]


@dataclass(frozen=True)
class Origin:
    """Where a value comes from: a layer, and a place in it ("recipe.yaml:12", "-s seed=7", the table's name)."""

    layer: Layer
    where: str

    def as_json(self) -> dict[str, str]:
        """Return both as they stand in config.json."""
        return {"layer": self.layer, "where": self.where}


@dataclass(frozen=True)
class Row:
    """One value explained: where it comes from, and whether it counts in the identity and why (not)."""

    path: str
    value: Any
    origin: Origin
    standing: Standing


class Explained(Protocol):
    """What can be explained: a resolved config, or the config object of a plain loop."""

    @property
    def plain(self) -> Mapping[str, Any]: ...
    @property
    def origins(self) -> Mapping[str, Origin]: ...
    @property
    def standings(self) -> Mapping[str, Standing]: ...


def explain(config: Explained, key: str | None = None) -> tuple[Row, ...]:
    """Return a row for each value, or for those at and below `key`, in the order of the config.

    Raises NoMatchError SR-CONFIG-015, with the nearest path, where `key` is none.
    """
    paths = list(config.standings)
    if key is not None:
        parsed = parse_path(key)
        wanted = format_path(parsed) if parsed else key
        paths = [path for path in paths if path == wanted or path.startswith(wanted + ".")]
        if not paths:
            raise _no_such(key, list(config.standings))
    values = dict(flatten(config.plain, frozenset(config.standings)))
    return tuple(Row(path, values[path], config.origins[path], config.standings[path]) for path in paths)


def _no_such(key: str, known: list[str]) -> NoMatchError:
    last = {path.rpartition(".")[2]: path for path in reversed(known)}
    close = nearest(key, known) or last.get(key) or last.get(nearest(key, list(last)) or "")
    return NoMatchError(
        "SR-CONFIG-015",
        f"there is no setting '{key}'" + (f"; did you mean '{close}'?" if close else ""),
        do="samerun explain RECIPE" + (f" {close}" if close else ""),
    )


def flatten(tree: Any, leaves: frozenset[str] = frozenset(), path: tuple[str | int, ...] = ()) -> list[tuple[str, Any]]:
    """Return (path, value) of every leaf: what `leaves` names, else whatever holds no table.

    A list without tables is one value; an empty table is one too.
    """
    text = format_path(path)
    if path and text in leaves:
        return [(text, tree)]
    if isinstance(tree, Mapping) and tree:
        return [row for key, item in tree.items() for row in flatten(item, leaves, (*path, key))]
    if isinstance(tree, list | tuple) and any(isinstance(item, Mapping) for item in tree):
        return [row for index, item in enumerate(tree) for row in flatten(item, leaves, (*path, index))]
    return [(text, tree)] if path else []
