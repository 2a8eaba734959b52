"""What a tier switches on, what it refuses, and how it notices that somebody switched it off again."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch.nn import functional

from samerun.errors import MissingError, RefusedError
from samerun.tiers.blas import numpy_threads
from samerun.tiers.enforce import enforce, resolve_device, still_enforced
from samerun.tiers.probe import probe_enforced


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    threads = torch.get_num_threads()
    yield
    enforce("fast", threads)


def unpooled() -> torch.Tensor:
    x = torch.arange(16.0).view(1, 1, 4, 4)
    pooled, indices = functional.max_pool2d(x, 2, return_indices=True)
    return functional.max_unpool2d(pooled, indices, 2)


def put() -> torch.Tensor:
    return torch.zeros(4).put_(torch.tensor([1]), torch.tensor([5.0]))


def test_exact_is_what_torch_says_afterwards() -> None:
    enforce("exact", "auto")
    found = probe_enforced()
    assert found["deterministic_algorithms"] and not found["warn_only"] and found["fill_uninitialized_memory"]
    assert found["cudnn_deterministic"] and not found["cudnn_benchmark"] and not found["cudnn_tf32"]
    assert found["onednn_deterministic"] and found["float32_matmul_precision"] == "highest"
    assert not found["flushes_denormals"]
    assert found["threads"] == 1 and found["numpy_threads"] in (1, None)


def test_fast_leaves_kernels_free_and_takes_its_threads() -> None:
    enforce("fast", 2)
    found = probe_enforced()
    assert not found["deterministic_algorithms"] and not found["cudnn_deterministic"]
    assert found["threads"] == 2


def test_threads_reach_numpy_too() -> None:
    np.zeros(1)
    enforce("exact", 2)
    assert torch.get_num_threads() == 2 and numpy_threads() in (2, None)


def test_uninitialised_memory_is_filled_under_exact() -> None:
    enforce("exact")
    assert torch.isnan(torch.empty(1000)).all()


def test_an_operation_without_a_deterministic_kernel_raises_under_exact() -> None:
    enforce("exact")
    with pytest.raises(RuntimeError, match="does not have a deterministic implementation"):
        unpooled()


def test_an_excepted_operation_runs_is_counted_and_lifts_nothing_else() -> None:
    enforced = enforce("exact", exact_except=["aten::max_unpool2d"])
    unpooled()
    unpooled()
    assert enforced.excepted_counts() == {"aten::max_unpool2d": 2}
    with pytest.raises(RuntimeError, match="put_ does not have"):
        put()
    assert probe_enforced()["deterministic_algorithms"] and not probe_enforced()["warn_only"]


def test_an_exception_ends_with_the_next_enforcement() -> None:
    enforce("exact", exact_except=["aten::max_unpool2d"])
    enforce("exact")
    with pytest.raises(RuntimeError):
        unpooled()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_a_gpu_that_is_absent_is_an_error(device: str) -> None:
    with pytest.raises(MissingError, match="SR-TIER-004"):
        enforce("exact", device=device)


@pytest.mark.parametrize("device", ["mps", "xpu", "tpu", "cuda:x", "gpu", ""])
def test_an_untested_or_unknown_device_is_refused(device: str) -> None:
    with pytest.raises(MissingError, match="SR-TIER-005"):
        resolve_device(device)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_auto_is_the_cpu_where_there_is_no_gpu() -> None:
    assert resolve_device("auto") == "cpu"


def test_a_flag_that_somebody_switched_back_is_found_and_named() -> None:
    enforce("exact")
    still_enforced()
    torch.use_deterministic_algorithms(False)
    torch.set_num_threads(2)
    with pytest.raises(RefusedError, match="SR-TIER-007") as caught:
        still_enforced()
    named = " ".join(caught.value.evidence)
    assert "deterministic algorithms: off, strict was set" in named and "threads: 2, 1 was set" in named


def test_nothing_is_watched_under_fast() -> None:
    enforce("fast", 1)
    torch.backends.cudnn.deterministic = True
    still_enforced()


def test_only_this_file_of_tiers_loads_torch_at_its_top() -> None:
    assert "torch" in sys.modules["samerun.tiers.enforce"].__dict__
