"""Every file name of a run folder, once, and how a run folder is named and created.

A folder is `runs/<name>-<id8>`, then `-2`, `-3` for further runs of the same name and identity. What lies inside a
checkpoint folder is named in checkpoint/format.py.
"""

import re
from pathlib import Path
from typing import Final

from samerun.base import files
from samerun.base.redact import is_secret_text, redact_text
from samerun.errors import UsageError

RUN_FORMAT: Final = 1
"""Version of the run folder; a reader of a later version keeps reading this one."""

MANIFEST: Final = "manifest.json"
IDENTITY: Final = "identity.json"
CONFIG: Final = "config.json"
ENVIRONMENT: Final = "environment.json"
SOURCE: Final = "source.json"
SOURCE_PATCH: Final = "source.patch"
SOURCE_FILES: Final = "source-files.tar"
DATA: Final = "data.json"
DATA_FILES: Final = "data-files.jsonl"
"""The digests of the files of a large folder of data, one a line; its own digest stands in data.json."""
MARKS: Final = "marks.json"
DRIFT: Final = "drift.json"
VERIFICATION: Final = "verification.json"
LOCAL: Final = "local.json"
"""Paths, host and user of the machine that ran it; never packed, never identity."""
LOCK: Final = ".lock"
UNPACKED: Final = "unpacked.json"
"""Says that this folder came out of a bundle: code that it names is not run without trust. Never packed."""
UNPACKED_DATA: Final = "unpacked-data"
"""Folder of data that came out of a bundle with the run, by their path in the project."""

METRICS: Final = "metrics"
TRAIL: Final = "trail"
EVENTS: Final = "events"
HOOKS_DONE: Final = "hooks_done"
"""Log of external hooks that were done; unlike the other three it is never cut on a resume."""
LOGS: Final = (METRICS, TRAIL, EVENTS)

CHECKPOINTS: Final = "checkpoints"
EVALUATIONS: Final = "evaluations"
ATTEMPTS: Final = "attempts"

LOCK_OWNER: Final = ".lock.owner"

NO_INPUTS: Final = (
    "none: files that the program reads by itself are not in the identity; declare them with run.input(path)"
)
EVALUATION_ADVICE: Final = "samerun evaluate RUN --tag TAG; in a script: run.evaluation(NAME)"

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_FOLDER: Final = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)-(?P<id8>[0-9a-f]{8})(-(?P<number>[1-9][0-9]{0,5}))?")
_LOG_PART: Final = re.compile(r"(?P<name>[a-z_]+)(\.(?P<part>(?!0000)[0-9]{4}))?\.jsonl")
_KEPT: Final = re.compile(r"[a-z_]+\.[0-9]{4}\.(?P<hex>[0-9a-f]{16})\.jsonl")
_RESERVED: Final = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{i}" for i in range(10)), *(f"lpt{i}" for i in range(10))]
)
_NAME_LIMIT: Final = 100
_NUMBER_LIMIT: Final = 999_999


def check_name(name: str, do: str = "samerun train RECIPE --name NAME") -> str:
    """Return `name` if it can name a run, a tag or an evaluation on every file system.

    Letters, digits, `.`, `_` and `-`, beginning with a letter or digit, at most 100 characters, not ending in a dot,
    not a device name of Windows. Raises UsageError SR-RECORD-001, with `do` as the way out.
    """
    reason = "it looks like a secret, and names stand in public" if is_secret_text(name) else _name_fault(name)
    if reason is None:
        return name
    raise UsageError(
        "SR-RECORD-001",
        f"{redact_text(name)[:120]!r} cannot be a name: {reason}",
        evidence=["allowed: letters, digits, '.', '_' and '-', beginning with a letter or a digit"],
        do=do,
    )


def _name_fault(name: str) -> str | None:
    if not name:
        return "it is empty"
    if len(name) > _NAME_LIMIT:
        return f"it has {len(name)} characters, at most {_NAME_LIMIT} fit"
    if "/" in name or "\\" in name:
        return "a name is no path"
    if not _NAME.fullmatch(name):
        return "it holds a character that is not allowed"
    if name.endswith("."):
        return "it ends in a dot"
    if name.split(".")[0].lower() in _RESERVED:
        return "Windows keeps this name for a device"
    return None


def folder_name(name: str, id8: str, number: int = 1) -> str:
    """Name of the folder of the `number`-th run called `name` with an identity that begins with `id8`."""
    check_name(name)
    if not re.fullmatch(r"[0-9a-f]{8}", id8):
        raise ValueError(f"id8 must be 8 hex characters, not {id8!r}")
    return f"{name}-{id8}" if number == 1 else f"{name}-{id8}-{number}"


def split_folder_name(folder: str) -> tuple[str, str, int] | None:
    """Give (name, id8, number) of a run folder's name, or None if it is not one.

    A number has at most six digits and an id eight, so no name can be read in two ways.
    """
    found = _FOLDER.fullmatch(folder)
    if found is None:
        return None
    number = found["number"]
    return found["name"], found["id8"], int(number) if number else 1


def run_folders_of(runs: Path, name: str, id8: str) -> list[Path]:
    """List the existing folders of this name and identity, oldest number first."""
    if not runs.is_dir():
        return []
    numbered = []
    for entry in runs.iterdir():
        parts = split_folder_name(entry.name)
        if parts is not None and parts[:2] == (name, id8):
            numbered.append((parts[2], entry))
    return [entry for _, entry in sorted(numbered)]


def create_run_folder(runs: Path, name: str, id8: str, fresh: bool) -> Path:
    """Make a run folder that did not exist, or give the one to go on with.

    fresh: always a new folder, with the next free number; any number of processes may do this at once, each gets its
    own. Not fresh: the newest folder of this name and identity, created if there is none; two processes may get the
    same one, and the run lock decides between them. A folder without a manifest is a run that has not begun.
    """
    folder_name(name, id8)
    files.make_dir(runs)
    existing = run_folders_of(runs, name, id8)
    if existing and not fresh:
        return existing[-1]
    number = _number_of(existing[-1]) + 1 if existing else 1
    while number <= _NUMBER_LIMIT:
        folder = runs / folder_name(name, id8, number)
        try:
            files.make_dir(folder, exclusive=True)
        except FileExistsError:
            if not fresh:
                return folder
            number += 1
            continue
        return folder
    raise UsageError(
        "SR-RECORD-002",
        f"{runs} holds {_NUMBER_LIMIT} runs called {name}-{id8}",
        do=f"samerun train RECIPE --name {name}-b",
    )


def _number_of(folder: Path) -> int:
    parts = split_folder_name(folder.name)
    assert parts is not None
    return parts[2]


def submitted_name(suffix: str) -> str:
    """Name under which the submitted recipe is kept: `recipe.submitted.yaml`; suffix with or without its dot."""
    bare = suffix.removeprefix(".")
    return f"recipe.submitted.{bare}" if re.fullmatch(r"[a-z0-9]{1,8}", bare) else "recipe.submitted.txt"


def log_part_name(name: str, part: int) -> str:
    """File of part `part` of a row log: `metrics.jsonl`, then `metrics.0001.jsonl` once it has grown to 64 MB."""
    return f"{name}.jsonl" if part == 0 else f"{name}.{part:04d}.jsonl"


def log_parts(folder: Path, name: str) -> list[int]:
    """List the numbers of the parts of a row log that exist in `folder`, in order (gaps are the reader's to judge)."""
    found = [path for path in folder.glob(f"{name}*.jsonl") if _LOG_PART.fullmatch(path.name)]
    return sorted(part for log, part in (parse_log_name(path.name) for path in found) if log == name)


def attempt_folder(folder: Path, attempt: int) -> Path:
    """Folder that keeps what attempt number `attempt` found beyond its checkpoint and took out of the logs."""
    return folder / ATTEMPTS / f"{attempt:04d}"


def kept_name(log_file: str, digest: str) -> str:
    """Name under which bytes taken out of a log are kept: `metrics.0000.<16 hex of their digest>.jsonl`."""
    name, part = parse_log_name(log_file)
    return f"{name}.{part:04d}.{digest.removeprefix('sha256:')[:16]}.jsonl"


def kept_digest(file: str) -> str | None:
    """Give the 16 hex characters that a name made by `kept_name` promises, None for another name."""
    found = _KEPT.fullmatch(file)
    return None if found is None else found["hex"]


def parse_log_name(log_file: str) -> tuple[str, int]:
    """Give (name, part) of a file name made by `log_part_name`. Raises ValueError for another."""
    found = _LOG_PART.fullmatch(log_file)
    if found is None:
        raise ValueError(f"{log_file!r} is no file of a log")
    return found["name"], int(found["part"] or 0)


def evaluation_file(folder: Path, tag: str) -> Path:
    """File of the evaluation called `tag`. Raises UsageError SR-RECORD-001 for one that is no plain name."""
    return folder / EVALUATIONS / f"{check_name(tag, EVALUATION_ADVICE)}.json"
