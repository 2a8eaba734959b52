"""Make torch keep a tier's promise: flags, threads, workspace, device. Whether it did is asked by probe.py.

Called once, before anything is computed; `still_enforced` finds what somebody switched back later.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import torch

from samerun.errors import MissingError, RefusedError
from samerun.tiers.blas import numpy_threads, set_numpy_threads
from samerun.tiers.excepted import ExceptedOperations, check_operations
from samerun.tiers.strict import ERROR, OFF, WARN, set_strictness, strictness
from samerun.tiers.tier import Tier, resolve_threads, tier_of
from samerun.tiers.variables import CUBLAS_WORKSPACE, CUBLAS_WORKSPACE_EXACT

UNTESTED_DEVICES = ("mps", "xpu")
_MODES = {OFF: "off", WARN: "warn only", ERROR: "strict"}


@dataclass(frozen=True)
class Enforced:
    """What is in force: the tier, the threads, the device, and the operations that may be inexact."""

    tier: Tier
    threads: int
    device: str
    excepted: ExceptedOperations | None

    def excepted_counts(self) -> dict[str, int]:
        """Return how often each operation of `exact_except` has run, by name; stands in every verdict."""
        return {} if self.excepted is None else dict(self.excepted.counts)


_in_force: Enforced | None = None


def excepted_counts() -> dict[str, int]:
    """Return how often each operation of `exact_except` has run since the last `enforce`, by name."""
    return {} if _in_force is None else _in_force.excepted_counts()


def enforce(
    tier: Tier | str,
    threads: Literal["auto"] | int = "auto",
    exact_except: Sequence[str] = (),
    device: str = "cpu",
) -> Enforced:
    """Set torch (and NumPy's BLAS) to the tier, for the whole process; a second call replaces the first.

    `device` is cpu, cuda, cuda:N or auto (cuda where there is one). Under exact: strict deterministic algorithms,
    deterministic cuDNN without autotuner, no TF32, no flushed denormals, filled uninitialised memory, the cuBLAS
    workspace (before CUDA starts), a fixed number of threads. Under fast only the threads.

    Raises ConfigError SR-TIER-001/-002/-003 (tier, threads, operation), MissingError SR-TIER-004/-005 (device),
    RefusedError SR-TIER-006 (too late for the cuBLAS workspace).
    """
    global _in_force
    chosen, count = tier_of(tier), resolve_threads(tier, threads)
    place = resolve_device(device)
    if chosen is Tier.EXACT:
        check_operations(exact_except)
        if place.startswith("cuda"):
            _set_cublas_workspace()
    if _in_force is not None and _in_force.excepted is not None:
        _in_force.excepted.undo()
    _set_threads(count)
    _set_flags(chosen is Tier.EXACT)
    excepted = ExceptedOperations(exact_except) if chosen is Tier.EXACT and exact_except else None
    _in_force = Enforced(chosen, count, place, excepted)
    return _in_force


def resolve_device(device: str) -> str:
    """Return cpu, cuda or cuda:N for what was asked; auto is cuda where there is one.

    Raises MissingError SR-TIER-004 when the GPU that was asked for is absent (a run never falls back to the CPU on its
    own), SR-TIER-005 for devices on which nothing has been tested.
    """
    kind, _, index = device.partition(":")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device == "auto":
        return "cuda" if count else "cpu"
    if kind == "cpu":
        return "cpu"
    if kind == "cuda" and (index == "" or index.isdecimal()):
        if int(index or 0) >= count:
            raise _absent(device, count)
        return device
    known = "not tested: its kernels are not known to repeat their bits" if kind in UNTESTED_DEVICES else "unknown"
    raise MissingError(
        "SR-TIER-005",
        f"device {device!r} is not supported",
        evidence=[f"{kind}: {known}", "supported: cpu, cuda, cuda:N, auto"],
        do="set device: cpu or device: cuda",
    )


def _absent(device: str, count: int) -> MissingError:
    built = torch.version.cuda
    return MissingError(
        "SR-TIER-004",
        f"device {device!r} was asked for and is not here",
        evidence=[
            f"CUDA devices that torch sees: {count}",
            f"torch {torch.__version__} was built {f'for CUDA {built}' if built else 'without CUDA'}",
            f"CUDA_VISIBLE_DEVICES: {os.environ.get('CUDA_VISIBLE_DEVICES', 'not set')}",
        ],
        do="run where the GPU is, or set device: cpu (another platform: other bits)",
    )


def _set_cublas_workspace() -> None:
    # ORDER: cuBLAS reads this when CUDA starts; afterwards it is a lie.
    found = os.environ.get(CUBLAS_WORKSPACE)
    cuda: Any = torch.cuda  # is_initialized is untyped in torch
    if found in CUBLAS_WORKSPACE_EXACT:
        return
    if found is not None or cuda.is_initialized():
        raise RefusedError(
            "SR-TIER-006",
            "tier exact needs the cuBLAS workspace to be set before CUDA starts",
            evidence=[f"{CUBLAS_WORKSPACE}: {found or 'not set'}", f"CUDA started: {cuda.is_initialized()}"],
            do=f"export {CUBLAS_WORKSPACE}={CUBLAS_WORKSPACE_EXACT[0]}, or start the run before using the GPU",
        )
    os.environ[CUBLAS_WORKSPACE] = CUBLAS_WORKSPACE_EXACT[0]


def _set_threads(count: int) -> None:
    torch.set_num_threads(count)
    set_numpy_threads(count)
    if torch.get_num_interop_threads() != 1:
        # Only the first call in a process may set it. It schedules whole operations and changes no bit of any.
        with suppress(RuntimeError):
            torch.set_num_interop_threads(1)


def _set_flags(is_exact: bool) -> None:
    backends: Any = torch.backends  # its flags are properties that torch's own types do not know
    set_strictness(ERROR if is_exact else OFF)
    torch.utils.deterministic.fill_uninitialized_memory = is_exact  # type: ignore[attr-defined]
    backends.cudnn.deterministic = is_exact
    backends.mkldnn.deterministic = is_exact
    if not is_exact:
        return
    backends.cudnn.benchmark = False
    backends.cudnn.allow_tf32 = False
    torch.set_float32_matmul_precision("highest")
    torch.set_flush_denormal(False)


def still_enforced() -> None:
    """Check that nobody changed what `enforce` set; a few microseconds, so once a step is affordable.

    Raises RefusedError SR-TIER-007 naming each flag that moved. Does nothing before `enforce`, or under fast.
    """
    if _in_force is None or _in_force.tier is not Tier.EXACT:
        return
    moved = [f"{name}: {found}, {wanted} was set" for name, found, wanted in _flags(_in_force) if found != wanted]
    if moved:
        raise RefusedError(
            "SR-TIER-007",
            "something switched off what tier exact had set",
            evidence=moved,
            do="find the call (a library's seed_everything is a usual one) and remove it, or choose tier: fast",
        )


def _flags(wanted: Enforced) -> list[tuple[str, object, object]]:
    return [
        ("deterministic algorithms", _MODES[strictness()], _MODES[ERROR]),
        ("cudnn.deterministic", torch.backends.cudnn.deterministic, True),
        ("cudnn.benchmark", torch.backends.cudnn.benchmark, False),
        ("float32 matmul precision", torch.get_float32_matmul_precision(), "highest"),
        ("threads", torch.get_num_threads(), wanted.threads),
        ("NumPy threads", numpy_threads() or wanted.threads, wanted.threads),
    ]
