"""Where a recorded run comes from: its settings as they were resolved, and its code on this machine.

A folder that names code elsewhere is not trusted by itself: reading a record runs nothing, going on with it would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from samerun.base.redact import REDACTED
from samerun.config.origin import flatten
from samerun.config.resolved import Config
from samerun.config.restore import restore
from samerun.errors import MissingError, RefusedError
from samerun.record import layout
from samerun.record.local import recorded_folder as recorded_folder
from samerun.record.local import values_of
from samerun.record.project import project_root
from samerun.record.reader import RunRecord, is_run_folder
from samerun.record.resolved import read_submitted
from samerun.record.source import place_of
from samerun.record.source_read import read_source

RECIPE = "recipe"
USER_PLACE = "user/"
"""Where source.json and the snapshot keep the files of the user's project."""
RULE_PLACE = "rule/"
"""Where they keep what a rule of the project names: any file, so code, too."""


@dataclass(frozen=True)
class Origin:
    """Where the code of a run lies on this machine."""

    root: Path
    script: Path | None
    """Null for a recipe."""


def config_of(record: RunRecord, settings: Sequence[str], project: Path) -> Config:
    """Return the resolved config of a recorded recipe, with aside `-s` values over it."""
    stored = record.config
    document = {
        "values": values_of(record, settings),
        "origins": stored.origins,
        "submitted": {"name": stored.submitted_name or layout.CONFIG},
    }
    submitted = read_submitted(record.folder, stored) or b""
    return restore(document, settings, project=project, submitted=submitted)


def origin_of(record: RunRecord, *, trust: bool = False, root: Path | None = None, may_be_gone: bool = False) -> Origin:
    """Find the code of a run on this machine: at `root` where that is given.

    `may_be_gone`: a script that is trusted and not here is no error, since its snapshot will do.

    Raises MissingError SR-RESUME-001 for a loop that only its own program can start (a notebook, a library call), 002
    for a script that is not here, 003 for an argument that was a secret; RefusedError SR-RESUME-004 for code outside
    this project that a folder names, or any that a run from elsewhere names, unless it is trusted.
    """
    entry = record.manifest.entry
    root = root or _root(record, recorded_folder(record, "root"))
    if entry.kind == RECIPE:
        _check_own(record, trust)
        if not is_from_elsewhere(record):
            _check_trust(record, root, trust)
            for module in _own_modules(record):
                if not trust and in_a_run(root / module, root):
                    raise _outside(record, root / module, root)
        return Origin(root, None)
    if entry.kind != "script" or entry.path is None:
        raise MissingError(
            "SR-RESUME-001",
            f"{record.name} was started by a program that samerun cannot start again",
            evidence=[f"entry: {entry.kind}", f"file: {entry.path or 'none'}"],
            do="start the same program again: samerun.start goes on with the run of that name and identity",
        )
    if any(REDACTED in argument for argument in entry.argv):
        raise MissingError(
            "SR-RESUME-003",
            f"{record.name} was started with an argument that is not stored",
            evidence=[" ".join(entry.argv)],
            do=f"samerun train {entry.path} --name {record.manifest.name} -- with the same arguments",
        )
    script = root / entry.path
    _check_own(record, trust)
    if not script.is_file() and not (may_be_gone and trust):
        raise MissingError(
            "SR-RESUME-002",
            f"the script of {record.name} is not here",
            evidence=[f"looked for: {script}"],
            do="change into its project, or put the script back (the run's snapshot is source-files.tar)",
        )
    _check_trust(record, script, trust)
    return Origin(root, script)


def is_of_this_project(record: RunRecord) -> bool:
    """Whether a run was made here: its own paths name the project around this folder, or around its runs."""
    root = recorded_folder(record, "root")
    return root is not None and root in (project_root(Path.cwd()), project_root(record.folder.parent))


def _root(record: RunRecord, recorded: Path | None) -> Path:
    """Choose the project: the recorded one where we are in it, else one with the same files, else the recorded one."""
    here, around = project_root(Path.cwd()), project_root(record.folder.parent)
    if recorded is not None and recorded in (here, around):
        return recorded
    # A project that was moved or copied brings its runs along; its files are then those beside them.
    needed = _needed_files(record)
    for candidate in (here, around):
        if all(place_of(label, candidate) is not None for label in needed):
            return candidate
    return recorded if recorded is not None and recorded.is_dir() else here


def _needed_files(record: RunRecord) -> list[str]:
    entry = record.manifest.entry
    if entry.kind != RECIPE:
        return [entry.path] if entry.path is not None else []
    labels = read_source(record.folder)["files"]
    return [label.removeprefix(USER_PLACE) for label in sorted(labels) if label.startswith(USER_PLACE)]


def is_from_elsewhere(record: RunRecord) -> bool:
    """Whether a run was not made on this machine: it came out of a bundle, or as a folder without its local file."""
    return record.has(layout.UNPACKED) or not record.has(layout.LOCAL)


def _check_own(record: RunRecord, trust: bool) -> None:
    """Refuse untrusted code of a run from elsewhere, whatever lies here under the names that it gives."""
    if trust or not is_from_elsewhere(record) or not (named := named_code(record)):
        return
    raise RefusedError(
        "SR-RESUME-004",
        f"{record.name} came from elsewhere, and names code of its own",
        evidence=[f"code: {name}" for name in named[:5]],
        do="read that code (run folder: source-files.tar), then add --trust",
    )


def named_code(record: RunRecord) -> list[str]:
    """List the code that a run names beside what is installed: its script, its project's files, its own parts."""
    entry = record.manifest.entry
    if entry.kind != RECIPE:
        return [entry.path or entry.kind]
    files = read_source(record.folder)["files"] if record.has(layout.SOURCE) else {}
    settings = flatten(record.config.values)
    parts = {str(value) for path, value in settings if _is_part(path) and ":" in str(value)}
    labels = {name.partition("/")[2] for name in files if name.startswith((USER_PLACE, RULE_PLACE))}
    return sorted(labels | parts)


def _is_part(path: str) -> bool:
    return path.split(".")[-1] in ("kind", "trainer")


def _check_trust(record: RunRecord, code: Path, trust: bool) -> None:
    own = [project_root(Path.cwd()), project_root(record.folder.parent)]
    inside_a_run = any((folder / layout.MANIFEST).exists() for folder in code.resolve().parents)
    is_own = any(code.resolve().is_relative_to(root) for root in own)
    if trust or (is_own and not inside_a_run):
        return
    raise _outside(record, code, own[0])


def _outside(record: RunRecord, code: Path, project: Path) -> RefusedError:
    return RefusedError(
        "SR-RESUME-004",
        f"{record.name} names code outside this project",
        evidence=[f"code: {code}", f"this project: {project}"],
        do="read that code, then add --trust, or change into its project",
    )


def in_a_run(code: Path, root: Path) -> bool:
    """Whether code lies in a run folder of the project at `root`: it came with that run, and is nobody's own."""
    top = root.resolve()
    return any(
        folder != top and folder.is_relative_to(top) and is_run_folder(folder) for folder in code.resolve().parents
    )


def _own_modules(record: RunRecord) -> list[str]:
    """List the places that the parts of a recipe are imported from, relative to the project."""
    settings = flatten(record.config.values)
    kinds = {str(value) for path, value in settings if _is_part(path) and ":" in str(value)}
    return sorted(f"{top}{kind.partition(':')[0].replace('.', '/')}" for kind in kinds for top in ("", "src/"))
