"""The verb `export`: the environment of a run in the formats of other tools.

`constraints` and `cyclonedx` follow from the record alone; `pylock` asks the present index, since a lock file names
files and digests that a run folder does not hold.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from samerun.base import files
from samerun.base.digest import sha256
from samerun.errors import MissingError, RefusedError
from samerun.record.constraints import Pin, constraints_head, constraints_text, pins_of, read_environment
from samerun.record.find import find_run
from samerun.record.project import runs_folder
from samerun.record.reader import RunRecord
from samerun.record.sbom import sbom_text
from samerun.rerun.pip import check_pip_locks, run_pip

Kind = Literal["constraints", "pylock", "cyclonedx"]
KINDS: Final[tuple[Kind, ...]] = ("constraints", "pylock", "cyclonedx")
LOCAL_FILE: Final = 'url = "file:'
Say = Callable[[str], None]


@dataclass(frozen=True)
class Export:
    """What was made. `text` is null where an index would have to be asked for it and was not (a dry run)."""

    run: str
    to: Kind
    text: str | None
    num_distributions: int
    left_out: tuple[Pin, ...]
    """Distributions that are not in it, and why."""
    path: Path | None = None
    """The file that was written."""

    @property
    def size_bytes(self) -> int | None:
        """Size of the text in UTF-8."""
        return None if self.text is None else len(self.text.encode())

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on; `content` only where it went into no file."""
        return {
            "run": self.run,
            "to": self.to,
            "file": None if self.path is None else self.path.as_posix(),
            "size_bytes": self.size_bytes,
            "digest": None if self.text is None else sha256(self.text.encode()),
            "num_distributions": self.num_distributions,
            "left_out": [pin.as_json() for pin in self.left_out],
            "content": self.text if self.path is None else None,
        }


def export(
    run: str | Path,
    *,
    to: Kind,
    output: Path | None = None,
    runs: Path | None = None,
    offline: bool = False,
    dry_run: bool = False,
    say: Say = lambda text: None,
) -> Export:
    """Export the environment of a run; write it to `output`, replacing a file there, or only return it.

    Equal records give equal bytes, except for `pylock`, which the present index decides. With `dry_run` nothing is
    written and no index asked. Raises RefusedError SR-EXPORT-002 for `pylock` under `offline`, MissingError 001 to 006
    for a library, pip or Python that is not here, DamageError for a damaged record.
    """
    record = find_run(str(run), runs_folder(runs))
    environment = read_environment(record)
    pins = pins_of(environment)
    text = _text(to, record, environment, pins, offline=offline, dry_run=dry_run, say=say)
    left_out = () if to == "cyclonedx" else tuple(pin for pin in pins if pin.line is None)
    if output is not None and text is not None and not dry_run:
        files.make_dir(output.absolute().parent)
        files.replace(output, text.encode())
    is_written = output is not None and not dry_run
    return Export(record.name, to, text, len(pins) - len(left_out), left_out, output if is_written else None)


def _text(
    to: Kind,
    record: RunRecord,
    environment: Mapping[str, Any],
    pins: tuple[Pin, ...],
    *,
    offline: bool,
    dry_run: bool,
    say: Say,
) -> str | None:
    if to == "constraints":
        return constraints_text(pins, constraints_head(record, environment))
    if to == "cyclonedx":
        return sbom_text(record, environment)
    if offline:
        raise RefusedError(
            "SR-EXPORT-002",
            "pylock.toml needs the present index",
            evidence=[
                "a run folder holds neither the files of its distributions nor their digests",
                "given: --offline",
            ],
            do=f"leave --offline out, or samerun export {record.name} --to constraints",
        )
    _check_python(record, environment)
    check_pip_locks()
    lines = [pin.line for pin in pins if pin.line is not None]
    if dry_run:
        return None
    say(f"asking the present index for {len(lines)} distributions")
    text = checked_lock(run_pip(["lock", "--quiet", "--no-deps", "--output", "-", *lines]))
    if LOCAL_FILE in text:
        say("the index has files of this machine: the lock file names them by their place, and is of use only here")
    return text


def _check_python(record: RunRecord, environment: Mapping[str, Any]) -> None:
    recorded, here = str(environment.get("python", {}).get("version")), platform.python_version()
    if recorded.split(".")[:2] != here.split(".")[:2]:
        raise MissingError(
            "SR-EXPORT-005",
            f"{record.name} was made by Python {recorded}, and pip would lock for {here}",
            do=f"export it under Python {recorded}, or samerun export {record.name} --to constraints",
        )


def checked_lock(text: str) -> str:
    """Return what pip printed where it is a lock file by PEP 751. Raises MissingError SR-EXPORT-006."""
    import tomllib

    from packaging.pylock import Pylock, PylockUnsupportedVersionError, PylockValidationError

    try:
        Pylock.from_dict(tomllib.loads(text)).validate()
    except (tomllib.TOMLDecodeError, PylockValidationError, PylockUnsupportedVersionError) as problem:
        raise MissingError(
            "SR-EXPORT-006",
            "what pip printed is no lock file",
            evidence=[str(problem)],
            do="upgrade pip, or export --to constraints",
        ) from problem
    return text
