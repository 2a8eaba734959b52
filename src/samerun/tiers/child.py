"""What the probing child process finds out: it may import torch and start CUDA, so that its parent need not.

Run as `python -m samerun.tiers.child`; prints one JSON document. What it says is cached by probe.py.
"""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from typing import Any


def numpy_facts() -> dict[str, Any] | None:
    """Say which NumPy is installed, its BLAS, and the instruction sets that it found on this processor."""
    if find_spec("numpy") is None:
        return None
    import numpy as np

    config: Any = np.show_config(mode="dicts")
    blas = config["Build Dependencies"]["blas"]
    return {
        "version": np.__version__,
        "blas": f"{blas.get('name')} {blas.get('version')}",
        "instructions": sorted(config["SIMD Extensions"].get("found", [])),
    }


def torch_facts() -> dict[str, Any] | None:
    """Say which torch is installed, what it was built with, and the instruction set it uses on this processor."""
    if find_spec("torch") is None:
        return None
    import torch

    config = torch.__config__.show()
    cudnn: Any = torch.backends.cudnn
    return {
        "version": str(torch.__version__),
        "build": _build_number(torch.version.git_version),
        "cuda": torch.version.cuda,
        "cudnn": cudnn.version() if torch.cuda.is_available() else None,
        "blas": _first(r"BLAS_INFO=(\w+)", config),
        "mkl": _first(r"Math Kernel Library Version ([\w.]+)", config),
        "onednn": _first(r"MKL-DNN v([\w.]+)", config),
        "capability": torch.backends.cpu.get_cpu_capability(),
    }


def gpu_facts() -> list[dict[str, Any]]:
    """List the visible GPUs in torch's order: name and compute capability."""
    if find_spec("torch") is None:
        return []
    import torch

    if not torch.cuda.is_available():
        return []
    return [
        {
            "name": torch.cuda.get_device_name(index),
            "capability": "{}.{}".format(*torch.cuda.get_device_capability(index)),
        }
        for index in range(torch.cuda.device_count())
    ]


def _first(pattern: str, text: str) -> str | None:
    found = re.search(pattern, text)
    return found[1] if found else None


def _build_number(version: object) -> str | None:
    return str(version)[:12] if version else None


def main() -> None:
    """Print what was found as one JSON document."""
    print(json.dumps({"numpy": numpy_facts(), "torch": torch_facts(), "gpus": gpu_facts()}))


if __name__ == "__main__":
    main()
