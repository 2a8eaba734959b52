"""Put `-s` values over a recipe, on plain trees. Defaults lie below both and come in with validation (layers.py)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from samerun.config.document import Document
from samerun.config.origin import Origin
from samerun.config.problems import SECRET, WRONG_VALUE, Path, Problem, format_path
from samerun.config.setting import Setting

KindAt = Callable[[Mapping[str, Any], Path], str | None]
"""Says which kind a table would have by default, or None where it is no table chosen by kind."""


@dataclass
class Merged:
    """The recipe's values with the `-s` values over them, and what was noticed on the way."""

    data: dict[str, Any]
    document: Document
    set_at: dict[Path, Setting] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)
    """Settings (as `where` names them) whose value may be a secret."""

    def setting(self, path: Path) -> Setting | None:
        """Return the `-s` that gave the value at `path`, itself or with a table around it."""
        for length in range(len(path), 0, -1):
            found = self.set_at.get(path[:length])
            if found is not None:
                return found
        return None

    def where(self, path: Path) -> str:
        """Return where the value at `path` stands, for messages."""
        found = self.setting(path)
        return found.where if found else self.document.where(path)

    def line(self, path: Path) -> int:
        """Return its line in the recipe, 0 for a `-s`."""
        return 0 if self.setting(path) else self.document.line(path)

    def origin(self, path: Path) -> Origin:
        """Return its origin, for records; a list counts as set where one of its elements was."""
        below = [found for at, found in self.set_at.items() if at[: len(path)] == path]
        found = self.setting(path) or (below[-1] if below else None)
        return Origin("set", found.where) if found else Origin("recipe", self.document.origin(path))

    def problem(self, path: Path, sentence: str, code: str, do: str = "") -> Problem:
        """Make a problem of the value at `path`; where that may be a secret, the value of a `-s` is not repeated."""
        found = self.setting(path)
        if code == SECRET and found is not None:
            self.hidden.add(found.where)
        return Problem(self.line(path), self.where(path), sentence, code, do)


def merge(document: Document, settings: Sequence[Setting], default_kind: KindAt) -> Merged:
    """Put the settings over the document: tables before what lies in them, `kind` first, so their order is free."""
    merged = Merged(plain_copy(document.data), document)
    for setting in _last_of_each(settings, merged.notes):
        _put(merged, setting, default_kind)
    return merged


def plain_copy(value: Any) -> Any:
    """Copy a tree of plain values; what an alias shared is no longer shared."""
    if isinstance(value, Mapping):
        return {key: plain_copy(item) for key, item in value.items()}
    return [plain_copy(item) for item in value] if isinstance(value, list | tuple) else value


def _last_of_each(settings: Sequence[Setting], notes: list[str]) -> list[Setting]:
    last: dict[tuple[str, ...], Setting] = {}
    for setting in settings:
        earlier = last.get(setting.path)
        if earlier is not None:
            notes.append(f"{setting.where} comes after {earlier.where} and replaces it")
        last[setting.path] = setting
    return sorted(last.values(), key=lambda setting: (len(setting.path), setting.path[-1] != "kind"))


def _put(merged: Merged, setting: Setting, default_kind: KindAt) -> None:
    *above, name = setting.path
    node: Any = merged.data
    path: Path = ()
    for segment in above:
        key = _key(node, segment)
        if key is None:
            break
        if isinstance(node, dict) and node.get(segment) is None:
            node[segment] = {}
            merged.set_at[(*path, segment)] = setting
        node, path = node[key], (*path, key)
    key = _key(node, name)
    if key is None or len(path) != len(above):
        segment = setting.path[len(path)]
        merged.problems.append(_no_place(setting, node, path, segment))
        return
    _drop_old(merged, setting, node, (*path, key), default_kind)
    node[key] = plain_copy(setting.value)
    merged.set_at[(*path, key)] = setting


def _key(node: Any, segment: str) -> str | int | None:
    if isinstance(node, dict):
        return segment
    is_index = isinstance(node, list) and segment.isdecimal() and int(segment) < len(node)
    return int(segment) if is_index else None


def _no_place(setting: Setting, node: Any, path: Path, segment: str) -> Problem:
    at = format_path(path)
    if isinstance(node, list):
        sentence = f"'{at}' is a list of {len(node)}; it has no element {segment}"
    else:
        sentence = f"'{at}' is no table, so it has no '{segment}'"
    return Problem(0, setting.where, sentence, WRONG_VALUE)


def _drop_old(merged: Merged, setting: Setting, node: Any, path: Path, default_kind: KindAt) -> None:
    """Drop what the new value makes meaningless, and note it."""
    table = path[:-1]
    old: Any = node.get(path[-1]) if isinstance(node, dict) else node[int(path[-1])]
    if path[-1] == "kind" and isinstance(node, dict) and table:
        kind = old if old is not None else default_kind(merged.data, table)
        if kind is not None and kind != setting.value:
            rest = [key for key in node if key != "kind"]
            merged.notes.append(
                f"{setting.where}: table '{format_path(table)}' starts from the defaults of {setting.value}"
                f" instead of {kind}{_dropped(merged, table, rest)}"
            )
            for key in rest:
                del node[key]
                _forget(merged, (*table, key))
            # What is now missing in the table is missing because of this setting.
            merged.set_at[table] = setting
    elif isinstance(old, dict) and old:
        merged.notes.append(
            f"{setting.where} replaces the table '{format_path(path)}'{_dropped(merged, path, list(old))}"
        )
        _forget(merged, path)


def _dropped(merged: Merged, table: Path, keys: list[str]) -> str:
    if not keys:
        return ""
    listed = ", ".join(f"{key} ({merged.origin((*table, key)).where})" for key in keys)
    return f"; no longer used: {listed}"


def _forget(merged: Merged, path: Path) -> None:
    for at in [at for at in merged.set_at if at[: len(path)] == path]:
        del merged.set_at[at]
