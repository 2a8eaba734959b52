"""Which variables are platform facts; each one on the aside list is flipped in fresh processes and changes no bit."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

import pytest

from samerun.tiers.variables import ASIDE, chooses_kernels, kernel_variables

# Kernels of every library that reads such variables: MKL, oneDNN, ATen, OpenMP, NumPy's OpenBLAS.
KERNELS = """
import hashlib, sys
import numpy as np, torch
from samerun.tiers.enforce import enforce
enforce("exact", int(sys.argv[1]))
numbers = np.random.Generator(np.random.Philox(key=7))
a = numbers.random((300, 300), dtype=np.float32)
t, image = torch.from_numpy(a), torch.from_numpy(numbers.random((8, 3, 32, 32), dtype=np.float32))
weight = torch.from_numpy(numbers.random((16, 3, 3, 3), dtype=np.float32))
bits = hashlib.sha256()
for result in (t @ t, torch.conv2d(image, weight), t.sum(), t.exp(), torch.linalg.svdvals(t), t.softmax(1)):
    bits.update(result.contiguous().numpy().tobytes())
bits.update((a @ a).tobytes() + np.dot(a.ravel(), a.ravel()).tobytes())
print(bits.hexdigest())
"""
OTHER_VALUE = {
    "OMP_PROC_BIND": "true",
    "OMP_PLACES": "cores",
    "OMP_WAIT_POLICY": "active",
    "OMP_DISPLAY_ENV": "true",
    "OMP_STACKSIZE": "8M",
    "KMP_AFFINITY": "disabled",
    "KMP_DUPLICATE_LIB_OK": "TRUE",
    "KMP_INIT_AT_FORK": "FALSE",
    "MKL_DYNAMIC": "FALSE",
    "TORCH_LOGS": "+dynamo",
    "TORCH_CPP_LOG_LEVEL": "INFO",
    "TORCH_HOME": "elsewhere",
    "TORCH_EXTENSIONS_DIR": "elsewhere",
    "TORCHINDUCTOR_CACHE_DIR": "elsewhere",
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "0",
    "KMP_BLOCKTIME": "0",
}


@cache
def bits(threads: int = 1, **variables: str) -> str:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "MKL_", "OPENBLAS_"))}
    command = [sys.executable, "-c", KERNELS, str(threads)]
    done = subprocess.run(command, env={**plain, **variables}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "name", ["MKL_CBWR", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY", "OPENBLAS_CORETYPE"]
)
def test_a_variable_that_chooses_kernels_is_a_fact_when_set(name: str) -> None:
    assert kernel_variables({"PATH": "/bin", name: "x"}) == {name: "x"}


def test_unknown_variables_of_the_same_families_count_too() -> None:
    assert chooses_kernels("PYTORCH_SOMETHING_NEW") and chooses_kernels("NVIDIA_TF32_OVERRIDE")
    assert not chooses_kernels("PATH") and not chooses_kernels("HOME")


@pytest.mark.parametrize(
    "name", ["TORCH_TOKEN", "PYTORCH_API_KEY", "MKL_LICENSE_KEY", "TORCH_HUB_PASSWORD", "OMP_AUTH"]
)
def test_a_variable_whose_name_says_secret_is_no_fact(name: str) -> None:
    assert not chooses_kernels(name)
    assert kernel_variables({name: "plainword"}) == {}


def test_a_value_that_is_a_secret_is_no_fact() -> None:
    assert kernel_variables({"TORCH_X": "hf_abcdEFGH01234567890123", "OMP_X": "https://u:p@example.org"}) == {}


def test_what_the_tier_sets_itself_moves_nothing() -> None:
    assert kernel_variables({"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}) == kernel_variables({})
    assert kernel_variables({"TORCHINDUCTOR_DETERMINISTIC": "1"}) == kernel_variables({})
    assert kernel_variables({"CUBLAS_WORKSPACE_CONFIG": ":16:8"}) != kernel_variables({})


def test_thread_variables_change_no_bit_because_the_tier_sets_threads() -> None:
    wanted = bits()
    assert bits(OMP_NUM_THREADS="2", MKL_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2") == wanted


def test_the_number_of_threads_is_seen_by_these_kernels() -> None:
    assert bits(threads=1) != bits(threads=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ASIDE))
@pytest.mark.parametrize("threads", [1, 2])
def test_a_variable_on_the_aside_list_changes_no_bit(name: str, threads: int) -> None:
    assert bits(threads, **{name: OTHER_VALUE.get(name, "2")}) == bits(threads)
