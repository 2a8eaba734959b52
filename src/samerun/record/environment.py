"""`environment.json`: the packages, machine, variables and lock files that a run was made with.

No host name, user name, home or absolute path is in it, and no variable off the list: those are in local.json, which
never leaves the machine. Which of these facts are identity is decided in tiers/ and run/.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from samerun.base.places import LOCAL_PATH
from samerun.base.redact import REDACTED, is_secret_variable, redact
from samerun.base.sealed import write_sealed
from samerun.record import layout
from samerun.record.distributions import distributions
from samerun.record.lock_files import lock_files
from samerun.record.machine import machine_facts
from samerun.tiers.variables import NAMES, PREFIXES

MORE_PREFIXES: Final = ("CUDA_", "NCCL_", "LC_", "SLURM_JOB_", "TOKENIZERS_")
MORE_NAMES: Final = frozenset({"LANG", "TZ", "PYTHONHASHSEED", "PYTHONOPTIMIZE", "WORLD_SIZE", "RANK", "LOCAL_RANK"})
_NOT_LISTED: Final = frozenset({"SLURM_JOB_USER", "SLURM_JOB_NODELIST", "SLURM_JOB_ACCOUNT"})
_ABSOLUTE: Final = re.compile(r"(?<![A-Za-z0-9.])[/~]|[A-Za-z]:\\")


def environment_document(root: Path, environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Describe this process and the project in `root`; takes about 30 ms."""
    machine = machine_facts()
    return {
        "schema": "samerun.environment",
        "format": layout.RUN_FORMAT,
        **machine.sections,
        "distributions": distributions(sys.path),
        "variables": variables(os.environ if environ is None else environ),
        "lock_files": lock_files(root),
        "reasons": machine.reasons,
    }


def write_environment(folder: Path, root: Path) -> None:
    """Write environment.json of a run folder."""
    write_sealed(folder / layout.ENVIRONMENT, environment_document(root))


def variables(environ: Mapping[str, str]) -> dict[str, str]:
    """List the set variables that are on the list, sorted; secrets redacted, values with a local path replaced."""
    listed = {
        name: REDACTED if is_secret_variable(name) else LOCAL_PATH if _ABSOLUTE.search(value) else value
        for name, value in sorted(environ.items())
        if _is_listed(name)
    }
    clean, _ = redact(listed)
    assert isinstance(clean, dict)
    return clean


def _is_listed(name: str) -> bool:
    if name in _NOT_LISTED:
        return False
    return name in NAMES or name in MORE_NAMES or name.startswith((*PREFIXES, *MORE_PREFIXES))
