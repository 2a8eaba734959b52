"""The platform as facts, and what torch says is in force.

Facts come from a child process (child.py) once and then from a cache, so that light verbs need no torch: the cache is
keyed by everything that could change them, and a damaged entry is probed again, since it is no record.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from samerun.base import interpreter
from samerun.base.cache import cache_folder
from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256, sha256_file
from samerun.base.files import make_dir
from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import DamageError, MissingError, RefusedError, SamerunError
from samerun.tiers.blas import numpy_threads
from samerun.tiers.tier import Tier, resolve_threads, tier_of
from samerun.tiers.variables import kernel_variables

CACHE_FORMAT = 1
_DRIVER = Path("/proc/driver/nvidia/version")
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_CPU = Path("/proc/cpuinfo")
_INSTRUCTION_PREFIXES = ("sse4", "avx", "fma", "f16c", "amx", "asimd", "sve", "bf16", "i8mm")


def platform_facts(
    threads: Literal["auto"] | int, tier: Tier | str, world_size: int = 1, device: str = "cpu"
) -> dict[str, Any]:
    """Return the facts of DESIGN 6: equal facts mean that exact promises equal bits.

    Versions, whether asserts run, the class of the device, the processor's vendor and instruction sets, BLAS, threads,
    tier, world size and the variables that choose kernels. `device` is cpu, cuda, cuda:N or auto; driver and GPU count
    only for a GPU.
    Raises MissingError SR-TIER-004 (no such GPU) and SR-TIER-009 (torch cannot be imported), RefusedError SR-TIER-008
    (a variable was changed after torch had read it).
    """
    found = _probed()
    _check_loaded_torch(found)
    gpu = _gpu(found["gpus"], device)
    torch = dict(found["torch"] or {})
    capability = torch.pop("capability", None)
    if gpu is None:
        torch.pop("cudnn", None)
    return {
        "tier": str(tier_of(tier)),
        "threads": resolve_threads(tier, threads),
        "world_size": world_size,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        # Under -O (1) asserts vanish, under -OO (2) docstrings too: other code runs.
        "python_optimize": sys.flags.optimize,
        "system": f"{platform.system()} {platform.machine()}",
        "libc": libc_version(),
        "numpy": found["numpy"],
        "torch": torch or None,
        "cpu": {**cpu_class(), "torch_capability": capability},
        "device": {"kind": "cpu"} if gpu is None else {"kind": "cuda", **gpu},
        "driver": None if gpu is None else driver_version(),
        "variables": kernel_variables(),
    }


def library_facts() -> dict[str, Any]:
    """Return what the probing child found: `numpy`, `torch` (null where it is not installed) and the visible `gpus`.

    Raises MissingError SR-TIER-009 as `platform_facts` does.
    """
    return _probed()


def libc_version() -> str | None:
    """Return name and version of the C library, None where it does not say."""
    # math.exp and friends are the C library's.
    with suppress(ValueError, OSError):
        return os.confstr("CS_GNU_LIBC_VERSION")
    return None


def cpu_class() -> dict[str, Any]:
    """Return the vendor of the processor and those of its instruction sets that kernels are chosen by."""
    facts = _cpu_facts()
    if facts is None:
        return {"vendor": platform.processor() or None, "instructions": []}
    flags = (facts.get("flags") or facts.get("Features") or "").split()
    return {
        "vendor": facts.get("vendor_id") or facts.get("CPU implementer"),
        "instructions": sorted(flag for flag in flags if flag.startswith(_INSTRUCTION_PREFIXES)),
    }


def cpu_model() -> str | None:
    """Return the processor's model as its vendor spells it, None where the system does not say. Serials are not in it.

    It is no fact of the platform: one model is sold under many names.
    """
    facts = _cpu_facts() or {}
    return facts.get("model name") or facts.get("Model") or None


def _cpu_facts() -> dict[str, str] | None:
    try:
        with open(_CPU, encoding="utf-8", errors="replace") as lines:
            return _first_processor(line for line in lines)
    except OSError:
        return None


def _first_processor(lines: Any) -> dict[str, str]:
    facts: dict[str, str] = {}
    for line in lines:
        if not line.strip() and facts:
            break
        key, _, value = line.partition(":")
        facts[key.strip()] = value.strip()
    return facts


def driver_version() -> str | None:
    """Return the version of the NVIDIA kernel driver, None without one."""
    with suppress(OSError):
        words = _DRIVER.read_text(encoding="utf-8").split("Kernel Module")[-1].split()
        return next((word for word in words if word[0].isdigit()), None)
    return None


def _gpu(gpus: list[dict[str, Any]], device: str) -> dict[str, Any] | None:
    kind, _, index = device.partition(":")
    if kind == "cpu" or (device == "auto" and not gpus):
        return None
    number = int(index) if index.isdecimal() else 0
    if number >= len(gpus):
        raise MissingError(
            "SR-TIER-004",
            f"device {device!r} was asked for and is not here",
            evidence=[f"CUDA devices that torch sees: {len(gpus)}"],
            do="run where the GPU is, or set device: cpu (another platform: other bits)",
        )
    return gpus[number]


def _check_loaded_torch(found: dict[str, Any]) -> None:
    torch = sys.modules.get("torch")
    if torch is None or not found["torch"]:
        return
    used, wanted = torch.backends.cpu.get_cpu_capability(), found["torch"]["capability"]
    if used != wanted:
        raise RefusedError(
            "SR-TIER-008",
            "a variable that chooses kernels was changed after torch had read it",
            evidence=[f"torch in this process uses {used}", f"the environment now says {wanted}"],
            do="set ATEN_*, MKL_* and ONEDNN_* in the shell, before Python starts",
        )


# -- the cache ---------------------------------------------------------------------------------------------------------


def _probed() -> dict[str, Any]:
    folder = cache_folder()
    if folder is None:
        return _ask_child()
    path = folder / f"platform-{_cache_key()}.json"
    with suppress(OSError, DamageError):
        return dict(read_sealed(path)["facts"])
    facts = _ask_child()
    # A cache that cannot be written costs two seconds the next time, nothing else.
    with suppress(OSError, SamerunError):
        make_dir(path.parent)
        write_sealed(path, {"format": CACHE_FORMAT, "facts": facts})
    return facts


def _cache_key() -> str:
    facts = {
        "format": CACHE_FORMAT,
        "python": sys.version,
        "executable": sys.executable,
        "torch": installed_digest("torch"),
        "numpy": installed_digest("numpy"),
        "driver": driver_version(),
        "boot": _text_of(_BOOT),
        "cpu": cpu_class(),
        "variables": kernel_variables(),
        "visible": {name: os.environ.get(name) for name in ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")},
    }
    return sha256(canonical_bytes(facts)).removeprefix("sha256:")[:32]


def _text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return None


def installed_digest(package: str) -> str | None:
    """Digest what says which build of a package is installed: its wheel's RECORD, else its version file.

    Does not import the package; None when it is not installed.
    """
    spec = find_spec(package)
    if spec is None or not spec.origin:
        return None
    folder = Path(spec.origin).parent
    records = sorted(folder.parent.glob(f"{package}-*.dist-info/RECORD"))
    for path in [*records, folder / "version.py", Path(spec.origin)]:
        with suppress(OSError):
            return sha256_file(path)
    return None


def _ask_child() -> dict[str, Any]:
    environ = {**os.environ, "PYTHONPATH": interpreter.import_path()}
    command = interpreter.command("samerun.tiers.child")
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MissingError(
            "SR-TIER-009",
            "the platform cannot be probed: torch or NumPy cannot be imported",
            evidence=done.stderr.strip().splitlines()[-3:] or [f"exit {done.returncode}"],
            do=f"{sys.executable} -c 'import torch' shows the whole error; repair that installation",
        )
    facts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return facts


# -- what is in force --------------------------------------------------------------------------------------------------


def threads_in_force() -> dict[str, int | None]:
    """Return how many threads torch and NumPy use now, null for what this process has not loaded. Loads nothing."""
    torch = sys.modules.get("torch")
    return {
        "torch": None if torch is None else int(torch.get_num_threads()),
        "interop": None if torch is None else int(torch.get_num_interop_threads()),
        "numpy": numpy_threads(),
    }


def probe_enforced() -> dict[str, Any]:
    """Ask torch what is in force now: not what was requested, what it answers. Needs torch."""
    import torch

    backends: Any = torch.backends
    tiny = torch.full((1,), 1e-40)
    return {
        "deterministic_algorithms": torch.are_deterministic_algorithms_enabled(),
        "warn_only": torch.is_deterministic_algorithms_warn_only_enabled(),
        "fill_uninitialized_memory": bool(torch.utils.deterministic.fill_uninitialized_memory),  # type: ignore[attr-defined]
        "cudnn_deterministic": bool(backends.cudnn.deterministic),
        "cudnn_benchmark": bool(backends.cudnn.benchmark),
        "cudnn_tf32": bool(backends.cudnn.allow_tf32),
        "onednn_deterministic": bool(backends.mkldnn.deterministic),
        "float32_matmul_precision": torch.get_float32_matmul_precision(),
        "flushes_denormals": bool((tiny * 1.0).item() == 0.0),
        "threads": torch.get_num_threads(),
        "interop_threads": torch.get_num_interop_threads(),
        "numpy_threads": numpy_threads(),
        "cpu_capability": backends.cpu.get_cpu_capability(),
        "cublas_workspace": os.environ.get("CUBLAS_WORKSPACE_CONFIG"),
    }
