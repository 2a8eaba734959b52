"""The config object of a plain loop (dict, dataclass, pydantic model, argparse.Namespace, OmegaConf) as plain values.

What is `aside` by name or by annotation stays out of the identity; what looks like a secret is replaced by a marker
before anything is written. Recipes have layers and schemas instead: layers.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256
from samerun.base.places import LOCAL_PATH, hide_paths
from samerun.base.redact import redact, remember_found
from samerun.base.text import nearest, plural
from samerun.config.checks import hidden_paths
from samerun.config.loop_values import plain_table
from samerun.config.origin import Origin, flatten
from samerun.config.problems import Path, format_path, has, is_unicode, parse_path, printable, value_at
from samerun.config.schema import SECRET_REASON, Secret, Standing
from samerun.config.secrets import read_all
from samerun.errors import ConfigError

_ORIGIN: Final = Origin("code", "samerun.start(config=...)")
_SECRET: Final = Standing("aside", "a secret: replaced by a marker, never identity")


@dataclass(frozen=True)
class LoopConfig:
    """The plain values of a loop's config, and where each counts."""

    plain: Mapping[str, Any]
    standings: Mapping[str, Standing]
    notes: tuple[str, ...] = ()
    _counted: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def origins(self) -> dict[str, Origin]:
        """Return the one origin there is, for every leaf."""
        return dict.fromkeys(self.standings, _ORIGIN)

    @property
    def asides(self) -> dict[str, str]:
        """Return the reason of every leaf that is no part of the identity."""
        return {path: at.reason for path, at in self.standings.items() if at.group == "aside"}

    def identity_values(self) -> dict[str, Any]:
        """Return the values that count in the identity."""
        return dict(self._counted)

    @cached_property
    def digest(self) -> str:
        """Digest of the identity values."""
        return sha256(canonical_bytes(self.identity_values()))


def bind(config: object, aside: Mapping[str, str] | None = None) -> LoopConfig:
    """Read a loop's config object. `aside` maps names or dotted paths to the reason why they are no identity.

    Text, numbers, truth values, None, NumPy scalars, paths, enums, lists, tuples, sets (sorted) and tables of these
    are taken; torch dtypes and devices by their name. Raises ConfigError: SR-CONFIG-013 naming the path of anything
    else, SR-CONFIG-014 where `aside` names nothing; MissingError SR-CONFIG-016 for a `Secret` that is not here.
    """
    marks: dict[Path, Standing] = {}
    tree = plain_table(config, marks)
    clean, hidden = redact(tree)
    remember_found(tree, clean)
    named = {path: value_at(tree, path) for path, standing in marks.items() if standing.reason == SECRET_REASON}
    read_all({format_path(path): Secret(value) for path, value in named.items() if isinstance(value, str)})
    marks.update(_named(aside or {}, tree))
    _check_reasons(marks)
    marks.update(dict.fromkeys(hidden_paths(tree, clean), _SECRET))
    shown, places = hide_paths(clean)
    standings = {path: _standing(path, marks) for path, _ in flatten(shown)}
    counted = _kept(shown, (), frozenset(marks))
    places = {path: place for path, place in places.items() if not place.startswith("file:")}
    return LoopConfig(shown, standings, (*_secret_notes(hidden), *_place_notes(places, marks)), counted)


def _secret_notes(hidden: Sequence[str]) -> tuple[str, ...]:
    if not hidden:
        return ()
    what, was = plural(len(hidden), "value"), "was" if len(hidden) == 1 else "were"
    return (f"{what} of the config looked like a secret and {was} not recorded: {', '.join(hidden)}",)


def _place_notes(places: Mapping[Path, str], marks: Mapping[Path, Standing]) -> tuple[str, ...]:
    """Say which values are paths of this machine: what lies there counts only where `run.input` reads it."""
    counted = [format_path(path) for path in places if not any(path[: len(at)] == at for at in marks)]
    if not counted:
        return ()
    what = "a value of the config is a path" if len(counted) == 1 else f"{len(counted)} values of the config are paths"
    return (f"{what} of this machine, recorded as {LOCAL_PATH}/...: {', '.join(counted)}",)


def _standing(text: str, marks: Mapping[Path, Standing]) -> Standing:
    for path, standing in marks.items():
        marked = format_path(path)
        if text == marked or text.startswith(marked + "."):
            return standing
    return Standing("experiment")


def _kept(node: Any, path: Path, marked: frozenset[Path]) -> Any:
    if isinstance(node, dict):
        return {key: _kept(item, (*path, key), marked) for key, item in node.items() if (*path, key) not in marked}
    if isinstance(node, list):
        places = range(len(node))
        # An element that does not count keeps its place: how many there are does count.
        return [None if (*path, at) in marked else _kept(node[at], (*path, at), marked) for at in places]
    return node


def _named(aside: Mapping[str, str], tree: Any) -> dict[Path, Standing]:
    marks: dict[Path, Standing] = {}
    for name, reason in aside.items():
        path = _find(name, tree)
        if path is None:
            known = [text for text, _ in flatten(tree)] + [str(key) for key in tree]
            close = nearest(name, known)
            raise ConfigError(
                "SR-CONFIG-014",
                f"aside names '{printable(name)}', which the config does not have"
                + (f"; did you mean '{close}'?" if close else ""),
                evidence=[f"the config has: {', '.join(sorted(map(str, tree))) or 'nothing'}"],
                do="correct the name, or leave it out of aside",
            )
        if not isinstance(reason, str) or not reason.strip():
            raise ConfigError(
                "SR-CONFIG-014", f"aside '{name}' has no reason", do=f'aside={{"{name}": "why it changes no number"}}'
            )
        marks[path] = Standing("aside", reason)
    return marks


def _check_reasons(marks: Mapping[Path, Standing]) -> None:
    for path, standing in marks.items():
        if not is_unicode(standing.reason):
            raise ConfigError(
                "SR-CONFIG-014",
                f"the reason why '{format_path(path)}' is aside holds half a surrogate pair, which is no Unicode text",
                do="correct the reason",
            )


def _find(name: str, tree: Any) -> Path | None:
    if has(tree, name):
        return (name,)
    path: Path = ()
    for segment in parse_path(name) or ():
        node = value_at(tree, path)
        key = int(segment) if isinstance(node, list) and segment.isdecimal() else segment
        if not has(node, key):
            return None
        path = (*path, key)
    return path or None
