"""Which environment a run is made again in, and whether its code and packages may be used here at all.

Everything is decided before anything is written: a refusal leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from samerun.errors import RefusedError, UsageError
from samerun.record.constraints import read_environment
from samerun.record.environment import environment_document
from samerun.record.reader import RunRecord
from samerun.rerun.origin import is_of_this_project
from samerun.rerun.reproducing.source import check_code_trust
from samerun.rerun.reproducing.unmatched import Unmatched, environment_differences

SHOWN = 5


@dataclass(frozen=True)
class Job:
    """A run that may be made again, and how."""

    record: RunRecord
    environment: Mapping[str, Any]
    """The recorded one."""
    differences: tuple[Unmatched, ...]
    """Where the present environment is not the recorded one."""
    used: Literal["present", "built"]
    is_trusted: bool
    """Whether what the record says may reach the process: the run is of this project, or trusted."""


def choose(record: RunRecord, *, here: bool, fresh_environment: bool, offline: bool, trust: bool) -> Job:
    """Take the present environment where it matches or `here` says so, else one that is built.

    Raises UsageError SR-REPRODUCE-008 for both wishes at once; RefusedError SR-REPRODUCE-003 for code and 004 for
    packages of a foreign run that is not trusted, 005 where an environment must be built under `offline`.
    """
    if here and fresh_environment:
        raise UsageError(
            "SR-REPRODUCE-008",
            "--here and --fresh-environment name two environments",
            do="give one of them, or neither: the present environment is used where it matches",
        )
    environment = read_environment(record)
    check_code_trust(record, trust=trust)
    differences = environment_differences(environment, environment_document(Path.cwd()))
    is_own = is_of_this_project(record)
    job = Job(record, environment, differences, _used(differences, here, fresh_environment), trust or is_own)
    if job.used == "built":
        _check_build(job, offline)
    return job


def _used(differences: tuple[Unmatched, ...], here: bool, fresh_environment: bool) -> Literal["present", "built"]:
    if here or (not differences and not fresh_environment):
        return "present"
    return "built"


def _check_build(job: Job, offline: bool) -> None:
    shown = [str(one) for one in job.differences[:SHOWN]]
    if len(job.differences) > SHOWN:
        shown.append(f"and {len(job.differences) - SHOWN} more")
    if offline:
        raise RefusedError(
            "SR-REPRODUCE-005",
            f"the environment of {job.record.name} has to be built, which asks an index",
            evidence=[*shown, "given: --offline"],
            do="leave --offline out, or add --here to use the present environment",
        )
    if not job.is_trusted:
        raise RefusedError(
            "SR-REPRODUCE-004",
            f"to reproduce {job.record.name}, packages that its folder names would be installed and run",
            evidence=shown or ["asked for: an environment of its own"],
            do="read its environment.json (samerun export RUN --to constraints), then add --trust; or add --here",
        )
