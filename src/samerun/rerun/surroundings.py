"""What the children of a proof see of the world: everything that a run must not depend on differs from one to the next.

Hash seed, time zone, language, home, temporary folder, order of PATH, import path, unknown variables. Variables that
choose kernels stay: they are facts of the platform. How a child is started is child.py's work.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from samerun.base import files
from samerun.tiers.variables import kernel_variables


@dataclass(frozen=True)
class Surroundings:
    """What one child sees of the world, beyond its recipe."""

    name: str
    variables: Mapping[str, str]
    removed: frozenset[str] = frozenset()
    """Variables of this process that the child does not get; import paths of its own (PYTHONPATH) it may get anew."""

    def with_kernels(self, recorded: Mapping[str, str]) -> Surroundings:
        """Take the variables that choose kernels from a record: they are facts of the run, not of this process."""
        gone = self.removed | kernel_variables(os.environ).keys() - recorded.keys()
        return Surroundings(self.name, {**self.variables, **recorded}, gone)


SURROUNDINGS: Final = (
    Surroundings("first", {"PYTHONHASHSEED": "1", "TZ": "UTC0", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}),
    Surroundings("second", {"PYTHONHASHSEED": "2", "TZ": "XXX-05:45", "LANG": "C", "LC_ALL": "C"}),
    Surroundings("third", {"PYTHONHASHSEED": "random", "TZ": "YYY+09:30", "LANG": "POSIX", "LC_ALL": "POSIX"}),
)
"""No two agree in anything; which one a child gets is decided by its place, so a proof can be repeated."""

CACHES: Final = {
    "XDG_CACHE_HOME": ".cache",
    "HF_HOME": ".cache/huggingface",
    "TORCH_HOME": ".cache/torch",
    "SCIKIT_LEARN_DATA": "scikit_learn_data",
}
"""Where downloads lie below the home folder: they are named, so that another home loses none of them."""


def variables_of(
    surroundings: Surroundings, elsewhere: Path | None = None, imports: Sequence[Path] = ()
) -> dict[str, str]:
    """Return this process's variables with those of `surroundings`; relative import paths are made absolute.

    `imports` are folders to import from: loader workers look for the parts of a project there.
    With `elsewhere`, a folder, also another home and temporary folder in it, the entries of PATH the other way round, a
    further folder to import from, and variables that nobody knows.
    """
    found = {name: value for name, value in os.environ.items() if name not in surroundings.removed}
    paths = [os.path.abspath(part) for part in found.get("PYTHONPATH", "").split(os.pathsep) if part]
    paths += map(str, imports)
    if elsewhere is not None:
        found.update({name: str(Path.home() / place) for name, place in CACHES.items() if name not in found})
        found.update(_folders(elsewhere, ("home", "tmp")))
        found["PATH"] = os.pathsep.join(reversed(found.get("PATH", os.defpath).split(os.pathsep)))
        found[f"UNRELATED_TO_{surroundings.name.upper()}"] = surroundings.name
        found["COLUMNS"] = str(60 + len(surroundings.name))
        paths.append(str(elsewhere / "unrelated"))
    if paths:
        found["PYTHONPATH"] = os.pathsep.join(paths)
    return {**found, **surroundings.variables}


def _folders(place: Path, names: tuple[str, str]) -> dict[str, str]:
    for name in (*names, "unrelated"):
        files.make_dir(place / name)
    home, temporary = (str(place / name) for name in names)
    return {"HOME": home, "TMPDIR": temporary, "PWD": str(place)}
