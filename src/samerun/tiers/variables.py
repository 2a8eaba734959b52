"""Environment variables that choose kernels: which are platform facts, and which are known to change no bit.

A variable on the aside list has a test that flips it and compares bits; everything else that starts like a kernel
variable counts, whether we know it or not. What is a secret by its name or by its value is no fact: it would be stored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from samerun.base.redact import is_secret_text, is_secret_variable
from samerun.tiers.strict import INDUCTOR_VARIABLE

PREFIXES = (
    "MKL_",
    "ONEDNN_",
    "DNNL_",
    "ATEN_",
    "OMP_",
    "KMP_",
    "TORCH_",
    "TORCHINDUCTOR_",
    "TORCHDYNAMO_",
    "PYTORCH_",
    "CUBLAS_",
    "CUBLASLT_",
    "CUDNN_",
    "OPENBLAS_",
    "NPY_",
)
NAMES = frozenset({"NVIDIA_TF32_OVERRIDE", "GLIBC_TUNABLES"})

THREADS_SET = "the tier sets the number of threads itself, for torch and for NumPy"
ASIDE: Mapping[str, str] = {
    "OMP_NUM_THREADS": THREADS_SET,
    "MKL_NUM_THREADS": THREADS_SET,
    "OPENBLAS_NUM_THREADS": THREADS_SET,
    "MKL_DYNAMIC": THREADS_SET,
    "OMP_PROC_BIND": "where threads run, not what they compute",
    "OMP_PLACES": "where threads run, not what they compute",
    "OMP_WAIT_POLICY": "how threads wait",
    "OMP_DISPLAY_ENV": "prints only",
    "OMP_STACKSIZE": "room for a thread's stack",
    "KMP_AFFINITY": "where threads run, not what they compute",
    "KMP_BLOCKTIME": "how threads wait",
    "KMP_DUPLICATE_LIB_OK": "which copy of OpenMP is tolerated",
    "KMP_INIT_AT_FORK": "when OpenMP starts in a forked process; scikit-learn sets it when it is imported",
    "MKL_VERBOSE": "prints only",
    "ONEDNN_VERBOSE": "prints only",
    "DNNL_VERBOSE": "prints only",
    "OPENBLAS_VERBOSE": "prints only",
    "TORCH_LOGS": "prints only",
    "TORCH_SHOW_CPP_STACKTRACES": "prints only",
    "TORCH_CPP_LOG_LEVEL": "prints only",
    "TORCH_HOME": "where downloads lie",
    "TORCH_EXTENSIONS_DIR": "where builds lie",
    "TORCHINDUCTOR_CACHE_DIR": "where builds lie",
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "how many kernels are kept, not which",
}
"""Variable -> why it is no platform fact. Each is flipped by a test that compares bits."""

CUBLAS_WORKSPACE = "CUBLAS_WORKSPACE_CONFIG"
CUBLAS_WORKSPACE_EXACT = (":4096:8", ":16:8")
"""The two settings under which cuBLAS repeats its bits (NVIDIA, cuBLAS documentation, "Results Reproducibility")."""

OWN = {CUBLAS_WORKSPACE: CUBLAS_WORKSPACE_EXACT[0], INDUCTOR_VARIABLE: "1"}
"""What tier exact sets itself."""


def chooses_kernels(name: str) -> bool:
    """Whether a variable of that name is a platform fact when it is set."""
    return (name in NAMES or name.startswith(PREFIXES)) and name not in ASIDE and not is_secret_variable(name)


def kernel_variables(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the set variables that choose kernels, sorted by name.

    What the tier itself sets under exact (OWN) is left out: it would make the facts depend on whether they were asked
    for before or after. Another value of these stays, as a choice of the user. A secret is left out too.
    """
    source = os.environ if environ is None else environ
    return {
        name: value
        for name, value in sorted(source.items())
        if chooses_kernels(name) and OWN.get(name) != value and not is_secret_text(value)
    }
