"""A run made ready to be trained again: source restored, data found, environment built or taken as it is.

What is trained then, and compared, is training.py's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from samerun.base.places import LOCAL_PATH
from samerun.base.redact import REDACTED
from samerun.record.constraints import constraints_head
from samerun.record.local import recorded_folder
from samerun.rerun.made import Making
from samerun.rerun.recorded import making_restored
from samerun.rerun.reproducing.building import build_environment
from samerun.rerun.reproducing.choice import Job
from samerun.rerun.reproducing.data import data_place, put_data
from samerun.rerun.reproducing.source import restore_code
from samerun.rerun.reproducing.unmatched import Unmatched, lost_arguments
from samerun.rerun.surroundings import Surroundings

PROJECT: Final = "project"
_SPEECH: Final = ("LANG", "LC_", "TZ", "PYTHONHASHSEED")
"""Variables of language, time zone and hash order: the record's, where it has them."""
_OF_PYTHON: Final = frozenset({"PYTHONPATH", "PYTHONHOME"})
Say = Callable[[str], None]


@dataclass(frozen=True)
class Ready:
    """A run that can be trained again: null `making` where it cannot, and `lost` says why."""

    making: Making | None
    surroundings: Surroundings
    lost: tuple[Unmatched, ...] = ()
    packages: tuple[Unmatched, ...] = ()
    """Of the recorded environment, what the one that is used does not have."""
    beside: tuple[Unmatched, ...] = ()
    """Files of the record that are not there and that no import names."""


def make_ready(job: Job, work: Path, data: Path | None, say: Say) -> Ready:
    """Restore, find and build in the folder `work`. Raises what `origin_of` and `build_environment` do."""
    record, project = job.record, work / PROJECT
    around = _surroundings(job)
    say("restoring the source")
    code = restore_code(record, project)
    place = data_place(record, project, data)
    lost = (*code.lost, *lost_arguments(record.manifest.entry.argv), *place.missing)
    if lost:
        return Ready(None, around, (*lost, *code.beside))
    put_data(record, project)
    making = making_restored(record, project, home=place.root, settings=place.settings)
    interpreter, not_installed = None, job.differences
    folders = code.import_from
    if job.used == "built":
        built = build_environment(work, job.environment, constraints_head(record, job.environment), say)
        interpreter, not_installed = built.interpreter, built.unmatched
    else:
        folders += _import_path()
    making = replace(
        making,
        data_root=place.root,
        interpreter=interpreter,
        import_from=folders,
        not_from=recorded_folder(record, "root"),
    )
    return Ready(making.prepared(work), around, (), not_installed, code.beside)


def _surroundings(job: Job) -> Surroundings:
    """Give the process the variables of the record, as far as they are known and it may have them."""
    recorded: Mapping[str, Any] = job.environment.get("variables", {})
    known = {name: str(value) for name, value in recorded.items() if value not in (REDACTED, LOCAL_PATH)}
    speech = {name: value for name, value in known.items() if name.startswith(_SPEECH)}
    gone = {name for name in os.environ if name.startswith(_SPEECH)} | _OF_PYTHON
    around = Surroundings("recorded", {"PYTHONHASHSEED": "1", **speech}, frozenset(gone))
    if not job.is_trusted:
        return around
    kernels: Mapping[str, str] = job.record.identity.platform.get("variables", {})
    return around.with_kernels({name: value for name, value in kernels.items() if known.get(name) == value})


def _import_path() -> tuple[Path, ...]:
    """List the folders of this process's PYTHONPATH: they are part of the present environment."""
    return tuple(Path(part).absolute() for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part)
