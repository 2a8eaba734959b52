"""Where each value of a resolved config counts: experiment, platform, or nowhere. Fields say so in their schema."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from samerun.config.parts import PartChoice
from samerun.config.problems import Path
from samerun.config.schema import Standing, Table, standing_of

_NOTHING: Final = object()


@dataclass(frozen=True)
class Leaf:
    """One value of a config, and where it counts."""

    path: Path
    standing: Standing
    table: str
    """Name of the table whose field it is."""


def tables_of(table: Table) -> Iterator[Table]:
    """Yield a table and every table in it, chosen parts included."""
    yield table
    for name in type(table).model_fields:
        for inner in _inner(getattr(table, name)):
            yield from tables_of(inner)


def choices_of(table: Table) -> Iterator[PartChoice]:
    """Yield every chosen part, those inside other parts and lists included, in the order of the schema."""
    for name in type(table).model_fields:
        yield from _choices(getattr(table, name))


def _choices(value: Any) -> Iterator[PartChoice]:
    if isinstance(value, PartChoice):
        yield value
        yield from choices_of(value.settings)
    elif isinstance(value, Table):
        yield from choices_of(value)
    elif isinstance(value, tuple | Mapping):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _choices(item)


def _inner(value: Any) -> Iterator[Table]:
    if isinstance(value, PartChoice):
        yield value.settings
    elif isinstance(value, Table):
        yield value
    elif isinstance(value, tuple | Mapping):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _inner(item)


def reads_horizon(table: Table) -> bool:
    """Whether any chosen table's numbers depend on `horizon_steps`."""
    return any(type(inner).reads_horizon for inner in tables_of(table))


def reads_evaluations(table: Table) -> bool:
    """Whether anything reads evaluations, so that their cadence decides numbers."""
    return any(type(inner).reads_evaluations for inner in tables_of(table))


def leaves_of(table: Table) -> tuple[Leaf, ...]:
    """Return every leaf in the order of the schema. A list without tables is one leaf; so is null or an empty table."""
    return tuple(_leaves(table, (), None, reads_evaluations(table)))


def counted(table: Table, plain: Mapping[str, Any], leaves: tuple[Leaf, ...], group: str) -> dict[str, Any]:
    """Return the part of `plain` whose leaves count in `group`, as a tree; tables left empty are left out."""
    wanted = {leaf.path for leaf in leaves if leaf.standing.group == group}
    kept = _kept(plain, (), wanted)
    return kept if isinstance(kept, dict) else {}


def _kept(node: Any, path: Path, wanted: set[Path]) -> Any:
    if path in wanted:
        return node
    if isinstance(node, Mapping):
        kept = {key: _kept(item, (*path, key), wanted) for key, item in node.items()}
        return {key: item for key, item in kept.items() if item is not _NOTHING} or _NOTHING
    if isinstance(node, list):
        items = [_kept(item, (*path, index), wanted) for index, item in enumerate(node)]
        # An element of which nothing counts keeps its place: how many there are does count.
        return _NOTHING if all(item is _NOTHING for item in items) else [{} if i is _NOTHING else i for i in items]
    return _NOTHING


def _leaves(table: Table, path: Path, inherited: Standing | None, deciding: bool) -> Iterator[Leaf]:
    for name, field in type(table).model_fields.items():
        standing = inherited or standing_of(field)
        if standing.unless_deciding and deciding:
            standing = replace(standing, group="experiment", reason="deciding: something reads evaluations")
        carried = standing if standing.group != "experiment" else None
        leaf = Leaf((*path, field.alias or name), standing, type(table).__name__)
        yield from _value_leaves(getattr(table, name), leaf, carried, deciding)


def _value_leaves(value: Any, leaf: Leaf, carried: Standing | None, deciding: bool) -> Iterator[Leaf]:
    if isinstance(value, PartChoice):
        yield replace(leaf, path=(*leaf.path, "kind"))
        yield from _leaves(value.settings, leaf.path, carried, deciding)
    elif isinstance(value, Table) and type(value).model_fields:
        yield from _leaves(value, leaf.path, carried, deciding)
    elif isinstance(value, Mapping | tuple) and any(True for _ in _inner(value)):
        for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _value_leaves(item, replace(leaf, path=(*leaf.path, key)), carried, deciding)
    else:
        yield leaf
