"""What each tier can promise on this machine, and why: one line for each fact. Loads no torch, changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from samerun.errors import SamerunError
from samerun.tiers.probe import platform_facts
from samerun.tiers.tier import Tier, resolve_threads, usable_cores
from samerun.tiers.variables import ASIDE, kernel_variables

State = Literal["ok", "note", "missing"]

OUTSIDE_KERNELS: Mapping[str, str] = {
    "flash-attn": "attention; its backward repeats its bits only with deterministic=True",
    "triton": "kernels compiled at run time; atomics and autotuning are the author's choice",
    "bitsandbytes": "8-bit optimizers and NF4 matmuls",
    "xformers": "attention and fused layers",
    "apex": "fused optimizers and norms",
    "transformer-engine": "FP8 layers",
    "deepspeed": "fused optimizers; reductions over ranks",
    "liger-kernel": "fused losses and norms (Triton)",
    "mamba-ssm": "selective scan; its backward uses atomics",
    "causal-conv1d": "fused convolution",
    "natten": "neighbourhood attention",
    "torch-scatter": "scatter reductions with atomics on CUDA",
    "torch-sparse": "sparse products with atomics on CUDA",
    "pyg-lib": "segment and grouped products",
    "torchvision": "roi_align, deform_conv2d and nms are outside torch's flag on CUDA",
    "vllm": "inference kernels; batch size changes bits",
    "flashinfer-python": "inference kernels",
    "sageattention": "quantised attention",
}
"""Distribution -> what its kernels do. torch's deterministic flag does not reach any of them."""


@dataclass(frozen=True)
class Line:
    """One fact about this machine."""

    topic: str
    state: State
    text: str

    def as_json(self) -> dict[str, str]:
        """Return the line for `--json`."""
        return asdict(self)


def diagnose() -> list[Line]:
    """Say what each tier can promise here, on each device, and what stands in the way."""
    try:
        facts = platform_facts("auto", Tier.EXACT, device="auto")
    except SamerunError as error:
        return [Line("torch", "missing", str(error)), *_outside_lines()]
    return [*_software(facts), *_devices(facts), *_threads(), *_variables(), *_outside_lines()]


def _software(facts: dict[str, Any]) -> Iterator[Line]:
    yield Line("python", "ok", f"{facts['python']} on {facts['system']}, {facts['libc'] or 'unknown C library'}")
    if not facts["system"].startswith("Linux x86_64"):
        yield Line("system", "note", f"{facts['system']}: best effort; promises are tested on Linux x86-64")
    torch = facts["torch"]
    if torch is None:
        yield Line("torch", "missing", "not installed: pip install 'samerun[torch]'; records can be read and compared")
        return
    yield Line("torch", "ok", f"{torch['version']} with {torch['blas']} {torch['mkl'] or ''}, oneDNN {torch['onednn']}")


def _devices(facts: dict[str, Any]) -> Iterator[Line]:
    if facts["torch"] is None:
        return
    cpu = facts["cpu"]
    yield Line(
        "cpu",
        "ok",
        f"exact: same bits on {cpu['vendor']} processors with {cpu['torch_capability']} kernels, equal versions, "
        "threads and variables; fast: same draws and data order",
    )
    if facts["device"]["kind"] == "cuda":
        gpu = facts["device"]
        yield Line(
            "cuda",
            "note",
            f"{gpu['name']} (capability {gpu['capability']}), driver {facts['driver']}: exact is enforced by torch's "
            "strict mode; an operation without a deterministic kernel stops the run (exact_except names it)",
        )
    else:
        why = f"built for CUDA {facts['torch']['cuda']}" if facts["torch"]["cuda"] else "built without CUDA"
        yield Line("cuda", "missing", f"torch sees no GPU ({why}); device: cuda is refused, never replaced by the CPU")
    yield Line("mps, xpu", "missing", "refused until tested")
    yield Line("torch.compile", "note", "default mode only: max-autotune chooses kernels by timing them")


def _threads() -> Iterator[Line]:
    exact, fast = (resolve_threads(tier, "auto") for tier in (Tier.EXACT, Tier.FAST))
    yield Line(
        "threads",
        "ok",
        f"{usable_cores()} usable cores; auto is {exact} under exact and {fast} under fast, for torch and for NumPy; "
        "sums change with the number, so it is a platform fact",
    )


def _variables() -> Iterator[Line]:
    for name, value in kernel_variables().items():
        yield Line("variable", "note", f"{name}={value} chooses kernels: it is part of the platform")
    yield Line("variable", "ok", f"{len(ASIDE)} known variables change no bit and are left out")


def _outside_lines() -> Iterator[Line]:
    for name, what in OUTSIDE_KERNELS.items():
        try:
            found = version(name)
        except PackageNotFoundError:
            continue
        yield Line("outside", "note", f"{name} {found}: {what}; torch's deterministic flag does not reach it")
