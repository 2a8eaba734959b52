"""Python, system, processor, libraries, accelerator, threads and language of this process, as `environment.json` has
them. What is unknown is null, and `Facts.reasons` says why. Which of these are identity is decided in tiers/.
"""

from __future__ import annotations

import locale
import os
import platform
import sys
from dataclasses import dataclass
from typing import Any, Final

from samerun.errors import MissingError
from samerun.tiers.probe import cpu_class, cpu_model, driver_version, libc_version, library_facts, threads_in_force

_NOT_SAID: Final = "the system does not say"


@dataclass(frozen=True)
class Facts:
    """Sections of the document, and for each null in them its dotted path and the reason."""

    sections: dict[str, dict[str, Any]]
    reasons: dict[str, str]


def machine_facts() -> Facts:
    """Describe this process and the machine under it: no host, user, serial number or place is in it."""
    reasons: dict[str, str] = {}
    found, why = _libraries()
    sections = {
        "python": python_facts(),
        "system": {
            "kind": platform.system(),
            "machine": platform.machine(),
            "release": platform.release(),
            "libc": libc_version(),
        },
        "cpu": _cpu(found),
        "libraries": {name: _library(found, name) for name in ("numpy", "torch")},
        "accelerator": _accelerator(found),
        "threads": {**threads_in_force()},
        "locale": locale_facts(),
    }
    for section, names, reason in (
        ("system", ("libc",), _NOT_SAID),
        ("cpu", ("vendor", "model"), _NOT_SAID),
        ("cpu", ("torch_capability",), why or "torch is not installed"),
        ("libraries", ("numpy", "torch"), why or "it is not installed"),
        ("accelerator", ("cuda",), why or "torch is not built for CUDA, or not installed"),
        ("accelerator", ("cudnn",), why or "torch sees no CUDA device"),
        ("accelerator", ("driver",), "there is no NVIDIA kernel driver"),
        ("threads", ("torch", "interop"), "torch was not loaded when this was written"),
        ("threads", ("numpy",), "NumPy was not loaded when this was written, or its BLAS is not the bundled one"),
    ):
        reasons |= {f"{section}.{name}": reason for name in names if sections[section][name] is None}
    return Facts(sections, dict(sorted(reasons.items())))


def python_facts() -> dict[str, Any]:
    """Describe the interpreter and how it was built."""
    return {
        "implementation": platform.python_implementation(),
        "version": platform.python_version(),
        "compiler": platform.python_compiler(),
        "build": " ".join(part for part in platform.python_build() if part),
        "is_virtual": sys.prefix != sys.base_prefix,
        # The letters with which the build marks its ABI: `t` has no global lock, `d` has debugging.
        "is_free_threaded": "t" in sys.abiflags,
        "is_debug": "d" in sys.abiflags,
    }


def locale_facts() -> dict[str, Any]:
    """Describe language and encodings as Python understood them."""
    return {
        "ctype": locale.setlocale(locale.LC_CTYPE),
        "numeric": locale.setlocale(locale.LC_NUMERIC),
        "collate": locale.setlocale(locale.LC_COLLATE),
        "encoding": locale.getencoding(),
        "filesystem_encoding": sys.getfilesystemencoding(),
        "is_utf8_mode": bool(sys.flags.utf8_mode),
    }


def _libraries() -> tuple[dict[str, Any], str | None]:
    """Return what torch and NumPy say, or nothing and why."""
    try:
        return library_facts(), None
    except MissingError as error:
        return {"numpy": None, "torch": None, "gpus": []}, error.what


def _cpu(found: dict[str, Any]) -> dict[str, Any]:
    return {
        **cpu_class(),
        "model": cpu_model(),
        "num_processors": os.cpu_count(),
        "num_usable": len(os.sched_getaffinity(0)),
        "torch_capability": (found["torch"] or {}).get("capability"),
    }


def _library(found: dict[str, Any], name: str) -> dict[str, Any] | None:
    facts = found[name]
    return None if facts is None else {key: facts[key] for key in sorted(facts) if key not in ("capability", "cudnn")}


def _accelerator(found: dict[str, Any]) -> dict[str, Any]:
    torch = found["torch"] or {}
    return {"cuda": torch.get("cuda"), "cudnn": torch.get("cudnn"), "driver": driver_version(), "gpus": found["gpus"]}
