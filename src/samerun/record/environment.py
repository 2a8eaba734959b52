"""`environment.json`: the versions and variables that a run was made with.

No host name, user name, home or absolute path is in it, and no variable off the list: those are in local.json, which
never leaves the machine. Which of these facts are identity is decided in tiers/ and run/.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from samerun.base.redact import REDACTED, is_secret_variable, redact
from samerun.base.sealed import write_sealed
from samerun.record import layout
from samerun.tiers.variables import NAMES, PREFIXES

MORE_PREFIXES: Final = ("CUDA_", "NCCL_", "LC_", "SLURM_JOB_", "TOKENIZERS_")
MORE_NAMES: Final = frozenset({"LANG", "TZ", "PYTHONHASHSEED", "PYTHONOPTIMIZE", "WORLD_SIZE", "RANK", "LOCAL_RANK"})
_NOT_LISTED: Final = frozenset({"SLURM_JOB_USER", "SLURM_JOB_NODELIST", "SLURM_JOB_ACCOUNT"})
_ABSOLUTE: Final = re.compile(r"(?<![A-Za-z0-9.])[/~]|[A-Za-z]:\\")
LOCAL_VALUE: Final = "[local path]"

_DISTRIBUTION: Final = re.compile(r"(?P<name>.+?)-(?P<version>[^-]+?)(-py[\d.]+)?\.(dist|egg)-info")


def environment_document(root: Path, environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Describe this process, for the project in `root`."""
    return {
        "schema": "samerun.environment",
        "format": layout.RUN_FORMAT,
        "python": {"implementation": platform.python_implementation(), "version": platform.python_version()},
        "system": {"kind": platform.system(), "machine": platform.machine(), "release": platform.release()},
        "distributions": distributions(sys.path),
        "variables": variables(os.environ if environ is None else environ),
    }


def write_environment(folder: Path, root: Path) -> None:
    """Write environment.json of a run folder."""
    write_sealed(folder / layout.ENVIRONMENT, environment_document(root))


def variables(environ: Mapping[str, str]) -> dict[str, str]:
    """List the set variables that are on the list, sorted; secrets redacted, values with a local path replaced."""
    listed = {
        name: REDACTED if is_secret_variable(name) else LOCAL_VALUE if _ABSOLUTE.search(value) else value
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


def distributions(path: Iterable[str]) -> dict[str, dict[str, Any]]:
    """List the installed distributions by normal name: version, and whether it is an editable install.

    Read from the names of their folders (importlib.metadata needs 0.2 s for 200 of them); the first on `path` wins, as
    it does on import.
    """
    found: dict[str, dict[str, Any]] = {}
    for text in path:
        try:
            names = sorted(os.listdir(text or "."))
        except OSError:
            continue
        for entry in names:
            match = _DISTRIBUTION.fullmatch(entry)
            if match is None:
                continue
            name = re.sub(r"[-_.]+", "-", match["name"]).lower()
            if name not in found:
                found[name] = {"version": match["version"], "is_editable": _is_editable(Path(text) / entry)}
    return dict(sorted(found.items()))


def _is_editable(metadata: Path) -> bool:
    try:
        return b'"editable": true' in (metadata / "direct_url.json").read_bytes()
    except OSError:
        return False
