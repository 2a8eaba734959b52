"""Settings that are aside, each with another legal value: what `verify --neutral` flips. A pure reading of a schema.

Which settings are aside is the schema's own word, those of parts included; here stands only which other value can be
seen to act within a short run. What cannot be flipped is listed with the reason. The flipping is neutral.py's work.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

from samerun.config.parts import PartChoice
from samerun.config.resolved import Config
from samerun.config.schema import Table
from samerun.config.standing import Leaf
from samerun.errors import SamerunError
from samerun.rerun.outside import copies_of, outside_of

Resolve = Callable[[Sequence[str]], Config]
LONGER: Final = 3
"""Steps that a longer run wants more."""
CANNOT: Final = {
    "init": "other starting weights are another experiment: the digest of their content is identity",
    "init.from": "other starting weights are another experiment: the digest of their content is identity",
    "init.revision": "other starting weights are another experiment: the digest of their content is identity",
}
SAVES: Final = ("checkpoint.keep", "checkpoint.keep_every", "checkpoint.keep_weights", "checkpoint.asynchronous")
"""Settings that act when a checkpoint is written: they are flipped together with a cadence that writes some."""

RECORDING: Final = ("checkpoint", "evaluate", "trail")
"""Tables of every recipe; none of their settings names anything outside."""


@dataclass(frozen=True)
class Flip:
    """One aside setting under another value, or the reason why there is none to try."""

    path: str
    settings: tuple[str, ...] = ()
    name: str | None = None
    stops: tuple[int, ...] = ()
    """Completed steps at which the run is stopped, then gone on with."""
    reason: str | None = None
    copies: tuple[tuple[Path, Path], ...] = ()
    """What is copied (source, target) before the settings are in force."""

    def __str__(self) -> str:
        if self.copies:
            return f"{self.path} at another place"
        if self.name is not None:
            return f"name={self.name}"
        if self.stops:
            return f"{self.path} after step {', '.join(map(str, self.stops))}"
        return " with ".join(self.settings) or self.path


def other_values(
    path: str, value: Any, annotation: Any = None, *, steps: int = 12, metric: str | None = None
) -> list[str]:
    """Return texts of values that may be legal and differ from `value`, most telling first, as `-s` takes them."""
    often = str(max(1, steps // 4)) if value != max(1, steps // 4) else str(max(2, steps // 3))
    table: dict[str, list[str]] = {
        "workers": ["0" if value else "2"],
        "checkpoint.every": [often],
        "checkpoint.keep": ["1" if value != 1 else "2"],
        "checkpoint.best": [f"{{metric: {metric}, better: lower}}"] if metric and value is None else ["null"],
        "checkpoint.best.metric": [metric] if metric else [],
        "evaluate.every": [often],
        "recheck_every": ["0" if value else often],
        "trail.state_every": ["3" if value != 3 else "2"],
    }
    return table[path] if path in table else _by_type(value, annotation)


def _by_type(value: Any, annotation: Any) -> list[str]:
    choices = [str(choice) for choice in _literals(annotation) if choice != value]
    if isinstance(value, bool):
        return ["false" if value else "true"]
    if isinstance(value, int):
        return [str(value + 1), str(value * 2), str(max(1, value // 2)), *choices, "null"]
    if isinstance(value, float):
        return [repr(value * 0.5 + 0.015625), repr(value + 0.25), *choices, "null"]
    if value is None:
        return [*choices, "2", "0.5", "x", "{}"]
    return [*choices, "x", "[3, 5]", "[]"]


def _literals(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    for argument in get_args(annotation):
        yield from _literals(argument)


@dataclass(frozen=True)
class Around:
    """What flips of a recipe are chosen by, beside its settings."""

    steps: int
    """Those of the uninterrupted run."""
    metric: str | None
    """A column that its rows have."""
    root: Path | None = None
    """Where relative paths of data start."""
    folder: Path = Path()
    """Where copies of data go."""


def flips_of_recipe(config: Config, around: Around, resolve: Resolve) -> Iterator[Flip]:
    """Yield a flip of every aside setting of a recipe; `resolve` reads the recipe with further settings over it."""
    for leaf in config.leaves:
        path = ".".join(map(str, leaf.path))
        if leaf.standing.unless_deciding and leaf.standing.group != "aside":
            yield Flip(path, reason="identity here: something reads evaluations")
        elif leaf.standing.group == "aside":
            yield _flip(config, leaf, path, around, resolve)
    if config.values.checkpoint.best is not None:
        yield _tried(config, "checkpoint.best", ["null"], resolve, ())
    yield _stop(around.steps)


def _flip(config: Config, leaf: Leaf, path: str, around: Around, resolve: Resolve) -> Flip:
    if path == "name":
        return Flip(path, name="another-name")
    if path == "steps":
        horizon = config.values.horizon_steps
        kept = () if horizon is None else (f"horizon_steps={horizon}",)
        return Flip(path, (f"steps={config.values.steps + LONGER}", *kept))
    value, annotation = _field(config.values, leaf.path)
    is_word = leaf.path[0] in RECORDING or any(True for _ in _literals(annotation))
    outside = None if is_word else outside_of(path, value, around.root)
    if outside is not None and outside.places and outside.reason is None:
        return _moved(config, path, value, copies_of(outside.places, around.folder / path), resolve)
    if path in CANNOT:
        return Flip(path, reason=CANNOT[path])
    if outside is not None:
        return Flip(path, reason=outside.reason)
    companion = (f"checkpoint.every={max(1, around.steps // 4)}",) if path in SAVES else ()
    texts = other_values(path, value, annotation, steps=around.steps, metric=around.metric)
    return _tried(config, path, texts, resolve, companion)


def _moved(config: Config, path: str, value: Any, copies: Sequence[tuple[Path, Path]], resolve: Resolve) -> Flip:
    """Return a flip to copies of the same content, which is what the identity holds of it."""
    targets = [str(target) for _, target in copies]
    found = _tried(config, path, [json.dumps(targets if isinstance(value, tuple) else targets[0])], resolve, ())
    return found if found.reason is not None else replace(found, copies=tuple(copies))


def _tried(
    config: Config,
    path: str,
    texts: Sequence[str],
    resolve: Callable[[Sequence[str]], Config],
    companion: tuple[str, ...],
) -> Flip:
    """Return the first value that the schema takes and that moves no value of the identity."""
    for text in texts:
        setting = f"{path}={text}"
        try:
            found = resolve([setting, *companion])
        except SamerunError:
            continue
        is_neutral = found.identity_values() == config.identity_values()
        if is_neutral and found.platform_values() == config.platform_values() and found.plain != config.plain:
            return Flip(path, (setting, *companion))
    return Flip(path, reason="no other legal value is known")


def flips_of_script(steps: int, metric: str | None, asides: Mapping[str, str], *, is_single: bool) -> Iterator[Flip]:
    """Yield a flip of everything that is aside in every loop; a program's own asides are its own arguments."""
    often = max(1, steps // 4)
    save = (f"checkpoint.every={often}",)
    yield Flip("checkpoint.every", save)
    for key, value in (("keep", "1"), ("keep_every", "2"), ("keep_weights", "2"), ("asynchronous", "true")):
        yield Flip(f"checkpoint.{key}", (f"checkpoint.{key}={value}", *save))
    if metric is not None:
        yield Flip("checkpoint.best", (f"checkpoint.best={{metric: {metric}, better: lower}}",))
    else:
        yield Flip("checkpoint.best", reason="the loop logs no number")
    yield Flip("trail.state_every", ("trail.state_every=3",))
    if is_single:
        yield Flip("name", name="another-name")
        yield _stop(steps)
    else:
        reason = "the program makes several runs"
        yield from (Flip("name", reason=reason), Flip("stop", reason=reason))
    yield Flip("sinks", reason="an argument that the program itself gives to samerun.start")
    for path, reason in sorted(asides.items()):
        yield Flip(path, reason=f"an argument of the program's own ({reason})")


def other_workers(config: Config) -> str | None:
    """Return the setting of another number of loader processes; null where a recipe has none that is aside."""
    standing = config.standings.get("workers")
    if standing is None or standing.group != "aside":
        return None
    return f"workers={other_values('workers', config.plain['workers'])[0]}"


def _stop(steps: int) -> Flip:
    if steps < 2:
        return Flip("stop", reason="there is no place to stop")
    return Flip("stop", stops=(steps // 2,))


def _field(values: Table, path: Sequence[str | int]) -> tuple[Any, Any]:
    """Return the value at a path of a config, and the annotation of its field."""
    node: Any = values
    annotation: Any = None
    for key in path:
        node = node.settings if isinstance(node, PartChoice) else node
        if isinstance(node, Table):
            names = {field.alias or name: name for name, field in type(node).model_fields.items()}
            annotation = type(node).model_fields[names[str(key)]].annotation
            node = getattr(node, names[str(key)])
        else:
            node = node[key]
    return node, annotation
