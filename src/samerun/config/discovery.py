"""Find parts by entry points, or as package.module:NAME in the user's project, and import what builds them.

Our own parts take the same route as anybody's. A field that takes a part is described in parts.py.
"""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path
from typing import Any, Final

from samerun.base.text import nearest
from samerun.config.schema import Table
from samerun.errors import ConfigError, MissingError, SamerunError

PREFIX: Final = "samerun."
GROUPS: Final = ("trainers", "tasks", "models", "optimizers", "schedules")
"""Groups of our own; a plug-in may bring more (entry-point groups that start with `samerun.`)."""


@dataclass(frozen=True)
class Part:
    """A plug-in: its name, the table it is configured by, and where it is built ("module:function")."""

    name: str
    config: type[Table]
    build: str
    description: str
    project: Path | None = field(default=None, compare=False)
    """Root of the user's project that the part comes from; set by `find_part`, null for installed parts."""


@dataclass(frozen=True)
class InstalledPart:
    """One row of `samerun parts`; `part` is null, and `problem` says why, where it cannot be imported."""

    group: str
    kind: str
    distribution: str
    version: str
    target: str
    part: Part | None
    problem: str | None


@dataclass(frozen=True)
class _Entry:
    distribution: str
    version: str
    point: EntryPoint


def _entries(group: str) -> dict[str, tuple[_Entry, ...]]:
    return _all_entries(tuple(sys.path)).get(group.removeprefix(PREFIX), {})


@cache
def _all_entries(path: tuple[str, ...]) -> dict[str, dict[str, tuple[_Entry, ...]]]:
    """Return group -> kind -> entries, of the distributions on `path`, each distribution once."""
    found: dict[str, dict[str, dict[str, _Entry]]] = {}
    seen: set[str] = set()
    for distribution in distributions(path=list(path)):
        text = distribution.read_text("entry_points.txt")
        if text is None or PREFIX not in text:
            continue
        name = distribution.metadata["Name"]
        if name in seen:
            continue
        seen.add(name)
        for point in _points(distribution):
            kinds = found.setdefault(point.group.removeprefix(PREFIX), {})
            kinds.setdefault(point.name, {})[name] = _Entry(name, distribution.version, point)
    return {
        group: {kind: tuple(entries[name] for name in sorted(entries)) for kind, entries in sorted(kinds.items())}
        for group, kinds in sorted(found.items())
    }


def _points(distribution: Distribution) -> list[EntryPoint]:
    return [point for point in distribution.entry_points if point.group.startswith(PREFIX)]


def kinds_of(group: str) -> list[str]:
    """Return the names of the installed parts of a group, sorted, without importing any."""
    return list(_entries(group))


def find_part(group: str, kind: str, project: Path | None) -> Part:
    """Return the part called `kind` in `group` ("models" or "samerun.models").

    `kind` is the name of an installed part, or "package.module:NAME" in the user's project, whose root is put on
    `sys.path` for that import only. With `project=None` no code of a project is loaded.
    Raises ConfigError: SR-PART-001 unknown (with the nearest name), 002 not a Part, 003 its import failed, 004 two
    distributions offer it, 005 the module is not the project's.
    """
    if ":" in kind:
        return _from_project(kind, project)
    known = _entries(group)
    entries = known.get(kind, ())
    if not entries:
        raise _unknown(group, kind, list(known))
    if len(entries) > 1:
        raise ConfigError(
            "SR-PART-004",
            f"{group.removeprefix(PREFIX)}: two distributions offer '{kind}'",
            evidence=[f"{entry.distribution} {entry.version}: {entry.point.value}" for entry in entries],
            do=f"uninstall one of {', '.join(entry.distribution for entry in entries)}",
        )
    return _load(entries[0].point.value, f"{entries[0].distribution} {entries[0].version}")


def _unknown(group: str, kind: str, known: list[str]) -> ConfigError:
    short = group.removeprefix(PREFIX)
    close = nearest(kind, known)
    return ConfigError(
        "SR-PART-001",
        f"no part of {short} is called '{kind}'" + (f"; did you mean '{close}'?" if close else ""),
        evidence=[f"installed {short}: {', '.join(known) or 'none'}"],
        do="samerun parts   # or name one of your project as package.module:NAME",
    )


def _load(target: str, owner: str) -> Part:
    module_name, _, attribute = target.partition(":")
    return _checked(getattr(_imported(module_name, target), attribute, None), target, owner)


def _checked(found: object, target: str, owner: str) -> Part:
    if isinstance(found, Part) and isinstance(found.config, type) and issubclass(found.config, Table):
        return found
    what = "nothing" if found is None else f"a {type(found).__name__}"
    raise ConfigError(
        "SR-PART-002",
        f"{target} is no part",
        evidence=[f"found: {what}", "wanted: a samerun.config.parts.Part whose config is a Table", f"from: {owner}"],
        do=f"define {target.partition(':')[2] or 'PART'} = Part(name=..., config=..., build=..., description=...)",
    )


def _imported(module_name: str, target: str) -> Any:
    try:
        return importlib.import_module(module_name)
    except Exception as error:  # the module is somebody else's code: whatever it raises is the evidence
        raise ConfigError(
            "SR-PART-003",
            f"{target} cannot be imported",
            evidence=[f"{type(error).__name__}: {error}", *_raised_at(error)],
            do=f"python -c 'import {module_name}'",
        ) from error


def _raised_at(error: BaseException) -> list[str]:
    trace, last = error.__traceback__, None
    while trace is not None:
        if "importlib" not in trace.tb_frame.f_code.co_filename:
            last = f"raised at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return [last] if last and not last.startswith("raised at parts.py") else []


@contextmanager
def importable(project: Path | None) -> Iterator[None]:
    """Put the project's root (and its src folder) first on `sys.path` within the block; nothing without a project."""
    roots = [] if project is None else [str(root) for root in (project, project / "src") if root.is_dir()]
    sys.path[:0] = roots
    importlib.invalidate_caches()
    try:
        yield
    finally:
        for root in roots:
            sys.path.remove(root)


def _from_project(kind: str, project: Path | None) -> Part:
    module_name, _, attribute = kind.partition(":")
    if not all(name.isidentifier() for name in [*module_name.split("."), attribute]):
        raise ConfigError(
            "SR-PART-001",
            f"'{kind}' names no part",
            evidence=["wanted: the name of an installed part, or package.module:NAME"],
            do="samerun parts",
        )
    if project is None:
        raise ConfigError(
            "SR-PART-005",
            f"'{kind}' is code of a project, and none is loaded here",
            do="run it inside the project it belongs to, or pass --trust",
        )
    root = project.resolve()
    with importable(root):
        module = _imported(module_name, kind)
    file = getattr(module, "__file__", None)
    if file is None or not Path(file).resolve().is_relative_to(root):
        raise ConfigError(
            "SR-PART-005",
            f"'{kind}' is not code of this project",
            evidence=[f"project: {root}", f"{module_name} comes from: {file or 'no file'}"],
            do="rename the module, or install it with an entry point and name that",
        )
    return replace(_checked(getattr(module, attribute, None), kind, str(root)), project=root)


def load_build(part: Part) -> Callable[..., Any]:
    """Import what builds the part. Here torch is loaded, and whatever else the part stands on.

    Raises MissingError SR-PART-007 when a package it imports is not installed, ConfigError SR-PART-003 or -006
    when the import fails or the module has no such function.
    """
    module_name, _, attribute = part.build.partition(":")
    with importable(part.project):
        try:
            module = _imported(module_name, part.build)
        except ConfigError as error:
            cause = error.__cause__
            if isinstance(cause, ModuleNotFoundError) and cause.name != module_name:
                raise MissingError(
                    "SR-PART-007",
                    f"part '{part.name}' needs the package {cause.name}, which is not installed",
                    evidence=list(error.evidence),
                    do=f"pip install {(cause.name or '').partition('.')[0]}",
                ) from error
            raise
    build = getattr(module, attribute, None)
    if not callable(build):
        raise ConfigError(
            "SR-PART-006",
            f"part '{part.name}': {part.build} is no function",
            do=f"define {attribute or 'build'} in {module_name}",
        )
    return build  # type: ignore[no-any-return]


def list_parts() -> list[InstalledPart]:
    """List every installed part by group and kind; one that cannot be imported is listed with its problem."""
    return [
        _listed(group, kind, entry)
        for group, kinds in _all_entries(tuple(sys.path)).items()
        for kind, entries in kinds.items()
        for entry in entries
    ]


def _listed(group: str, kind: str, entry: _Entry) -> InstalledPart:
    part: Part | None = None
    problem: str | None = None
    try:
        part = _load(entry.point.value, entry.distribution)
    except SamerunError as error:
        problem = "; ".join([error.what, *error.evidence])
    return InstalledPart(group, kind, entry.distribution, entry.version, entry.point.value, part, problem)
