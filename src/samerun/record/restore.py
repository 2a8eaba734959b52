"""The stored source of a run, written into a new folder, and the steps that give back the whole repository around it.

Nothing is written outside of the folder, whatever a record says. What cannot be had again is named, never made up.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from samerun.base import files
from samerun.base.digest import sha256
from samerun.errors import RefusedError
from samerun.record import layout
from samerun.record.reading import EXECUTABLE
from samerun.record.source import ELSEWHERE
from samerun.record.source_read import read_snapshot, read_source

PLACES: Final = ("user", "rule")
"""Groups of files that lie in the project."""


@dataclass(frozen=True)
class Restored:
    """What was written, and what could not be."""

    folder: Path
    """The project, as its code expects it."""
    files: tuple[str, ...]
    """Paths in it that hold the very bytes of the run, sorted."""
    altered: Mapping[str, str]
    """Paths that hold other bytes than the run had, and why: a secret was left out."""
    missing: Mapping[str, str]
    """Paths that were not written, and why."""
    import_paths: tuple[Path, ...]
    """Folders to import from, the project first; `elsewhere` holds what came from outside of it."""
    steps: tuple[str, ...]
    """Shell commands that give back the whole repository in a new folder; empty where no commit is known."""

    @property
    def is_whole(self) -> bool:
        """Whether every file of the run is there with its own bytes."""
        return not self.altered and not self.missing


def restore_source(folder: Path, target: Path) -> Restored:
    """Write the user's files of the run in `folder` into `target`, with modes and links, and say what is not there.

    `target` is new or empty, else RefusedError SR-SOURCE-004. The repository around the files (its unchanged files,
    and changed ones that no module imports) is given back by `steps`; these files then lie over it. Raises DamageError
    for a record that is not whole.
    """
    document, contents = read_source(folder), read_snapshot(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise RefusedError(
            "SR-SOURCE-004",
            f"{target} is there already: stored source is written into a new folder only",
            do="name a folder that does not exist yet",
        )
    rows = project_rows(document)
    files.make_dir(target)
    kept = {name: row for name, row in rows.items() if name in contents}
    links = {name for name, row in kept.items() if _is_link(name, row, kept)}
    for name in sorted(kept.keys() - links):
        _write(target, name, contents[name], kept[name]["mode"])
    for name in sorted(links):
        path = _place(target, name)
        files.make_dir(path.parent)
        files.symlink(kept[name]["link"], path)
    return Restored(
        folder=target,
        files=tuple(sorted(_label(name) for name in kept if sha256(contents[name]) == kept[name]["content"])),
        altered={
            _label(name): why_lost(kept[name]) for name in sorted(kept) if _is_altered(contents[name], kept[name])
        },
        missing={_label(name): why_lost(row) for name, row in sorted(rows.items()) if name not in kept},
        import_paths=import_paths(target),
        steps=tuple(repository_steps(document)),
    )


def repository_steps(document: Mapping[str, Any]) -> Iterator[str]:
    """Give the commands that bring back the repository of a source.json, submodules and patch included.

    They are run in a new folder, with `source.patch` at $RUN/source.patch. `git apply` changes the work tree alone.
    """
    git = document.get("git") or {}
    commit = git.get("commit")
    if not isinstance(commit, str) or not re.fullmatch(r"[0-9a-f]{40,64}", commit):
        return
    remote = git.get("remote")
    # A record may be somebody else's: nothing of it becomes an option or a command.
    yield f"git clone --no-checkout -- {shlex.quote(remote) if remote and '[' not in remote else 'REPOSITORY'} ."
    yield f"git checkout --detach {shlex.quote(commit)} --"
    modules = [one for one in git.get("submodules", []) if re.fullmatch(r"[0-9a-f]{40,64}", str(one["commit"]))]
    if modules:
        yield "git submodule update --init --recursive"
    for one in modules:
        if one["commit"] != one["recorded"]:
            yield f"git -C ./{shlex.quote(one['path'])} checkout --detach {shlex.quote(one['commit'])} --"
    if document["patch"]["digest"] != sha256(b""):
        yield f"git apply --whitespace=nowarn $RUN/{layout.SOURCE_PATCH}"


def project_rows(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Give the rows of a source.json whose files lie in the project, and are written where that is restored.

    A module that a rule names too, and that was imported late, has two rows: it is what was imported.
    """
    rows: Mapping[str, Mapping[str, Any]] = document["files"]
    places = reversed(PLACES)
    names = {_label(name): name for place in places for name in rows if name.partition("/")[0] == place}
    return {name: rows[name] for name in sorted(names.values())}


def _label(name: str) -> str:
    return name.partition("/")[2]


def _place(target: Path, name: str) -> Path:
    # Names in a snapshot are plain relative paths (snapshot.py refuses others), and no link is made before the files.
    return target / _label(name)


def _is_link(name: str, row: Mapping[str, Any], kept: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a file is made as the link that it was: to another stored file of the same project with equal bytes."""
    link = row.get("link")
    if not isinstance(link, str) or PurePosixPath(link).is_absolute():
        return False
    place, _, label = name.partition("/")
    parts: list[str] = list(PurePosixPath(label).parent.parts)
    for part in PurePosixPath(link).parts:
        if part == ".." and not parts:
            return False
        parts = parts[:-1] if part == ".." else [*parts, part]
    target = f"{place}/{'/'.join(parts)}"
    aim = kept.get(target)
    is_same = aim is not None and str(aim["content"]) == row["content"] and aim.get("link") is None
    return is_same and target != name


def _write(target: Path, name: str, data: bytes, mode: str) -> None:
    path = _place(target, name)
    files.make_dir(path.parent)
    files.write_new(path, data, 0o777 if mode == EXECUTABLE else 0o666)


def _is_altered(data: bytes, row: Mapping[str, Any]) -> bool:
    return sha256(data) != str(row["content"])


def why_lost(row: Mapping[str, Any]) -> str:
    """Say why the snapshot does not hold a file as it was."""
    if row["num_redacted"]:
        return "a secret that stood in it was not stored"
    return "stored with other bytes" if row["is_stored"] else "too large to be stored"


def import_paths(project: Path) -> tuple[Path, ...]:
    """List the folders that a restored project imports from: its root, its `src`, and what lay outside of it."""
    folders = (project, project / "src", project / ELSEWHERE)
    return tuple(folder.resolve() for folder in folders if folder.is_dir())
