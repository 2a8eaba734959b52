"""A virtual environment with the recorded distributions, made by `python -m venv` and pip in a folder of its own.

The environment of the user is never touched, and nothing of it is seen from the new one. What cannot be installed
again is returned by name; what the present index does not have is an error.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from samerun.base import files
from samerun.base.interpreter import command
from samerun.base.text import plural
from samerun.errors import MissingError
from samerun.record.closure import OWN_PACKAGE, own_folder
from samerun.record.constraints import Pin, constraints_text, pins_of
from samerun.rerun.pip import LAST_WORDS, run_pip
from samerun.rerun.reproducing.unmatched import Unmatched

CONSTRAINTS: Final = "constraints.txt"
ENVIRONMENT: Final = "environment"
Say = Callable[[str], None]


@dataclass(frozen=True)
class Built:
    """A new environment: its Python, and the recorded distributions that are not in it."""

    interpreter: Path
    unmatched: tuple[Unmatched, ...]


def build_environment(folder: Path, environment: Mapping[str, Any], head: str, say: Say) -> Built:
    """Make `folder`/environment with every recorded distribution that can be pinned, and samerun.

    samerun is taken from its recorded version; where it was an editable install, from the source that runs this.
    Raises MissingError SR-REPRODUCE-006 where no environment can be made, SR-EXPORT-004 where the present index lacks
    a distribution.
    """
    python, version = _python_for(str(environment.get("python", {}).get("version")))
    say(f"making a virtual environment with Python {version}")
    interpreter = _make_venv(python, folder / ENVIRONMENT)
    pins = pins_of(environment)
    requirements = folder / CONSTRAINTS
    files.write_new(requirements, constraints_text(pins, head).encode())
    num_pinned = sum(pin.line is not None for pin in pins)
    say(f"installing {plural(num_pinned, 'distribution')} from the present index")
    if num_pinned:
        _install(["-r", str(requirements)], interpreter)
    own = next((pin for pin in pins if pin.name == OWN_PACKAGE), None)
    if own is None or own.line is None:
        say("installing samerun's own source, since it was no release")
        _install([_own_source(own)], interpreter)
    return Built(interpreter, tuple(_not_installed(pin) for pin in pins if pin.line is None))


def _not_installed(pin: Pin) -> Unmatched:
    if pin.name == OWN_PACKAGE:
        why = "an editable install then: the source that runs this was installed in its place"
        return Unmatched("package", pin.name, pin.version, "its own source", why)
    return Unmatched(
        "package", pin.name, pin.version, None, f"not installed: {pin.why}; what the run imported is restored"
    )


def _python_for(recorded: str) -> tuple[Path | None, str]:
    """Choose the Python of the recorded minor version; where there is none, the one that runs this (None)."""
    minor = recorded.split(".")[:2]
    here = platform.python_version()
    if minor != here.split(".")[:2] and (found := shutil.which(f"python{'.'.join(minor)}")) is not None:
        done = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
        version = done.stdout.removeprefix("Python ").strip()
        if done.returncode == 0 and version.split(".")[:2] == minor:
            return Path(found), version
    return None, here


def _make_venv(python: Path | None, target: Path) -> Path:
    done = subprocess.run(command("venv", str(target), python=python), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        words = [line for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.strip()]
        raise MissingError(
            "SR-REPRODUCE-006",
            "no virtual environment can be made",
            evidence=words[-LAST_WORDS:],
            do="install the venv module of this Python, or add --here to use the present environment",
        )
    return target / "bin/python"


def _install(what: list[str], interpreter: Path) -> None:
    # --no-deps: what was recorded is the whole of it, and the index is not asked for anything else.
    run_pip(["install", "--quiet", "--no-deps", *what], interpreter=interpreter)


def _own_source(own: Pin | None) -> str:
    """Return what pip installs this package from: the project around the source that runs this, else its version."""
    root = own_folder().parent.parent
    project = root / "pyproject.toml"
    if project.is_file() and tomllib.loads(project.read_text("utf-8")).get("project", {}).get("name") == OWN_PACKAGE:
        return str(root)
    from importlib.metadata import version

    return f"{OWN_PACKAGE}=={version(OWN_PACKAGE) if own is None else own.version}"
