"""torch leaves: every dtype comes back bit for bit, NaN payloads included; what is more than its bytes is refused."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from samerun.errors import UsageError
from samerun.state import tensors
from samerun.state.digest import digest_tree
from samerun.state.join import unpack
from samerun.state.tree import host_copy, pack

NAMES = sorted(tensors.DTYPES)


def noise(dtype: torch.dtype, shape: tuple[int, ...] = (3, 4)) -> torch.Tensor:
    """Every bit pattern may occur: NaNs with payloads, subnormals, both zeros."""
    tensor = tensors.build(str(dtype).removeprefix("torch."), list(shape))
    memory = tensors.memory_of(tensor)
    pattern = bytes((37 * at + 11) % 256 for at in range(len(memory)))
    memory[:] = bytes(byte & 1 for byte in pattern) if dtype is torch.bool else pattern
    return tensor


@pytest.mark.parametrize("name", NAMES)
def test_a_tensor_of_every_dtype_comes_back_bit_for_bit(name: str) -> None:
    tensor = noise(tensors.DTYPES[name])
    back = unpack(host_copy(pack({"t": tensor})))["t"]
    assert back.dtype == tensor.dtype and back.shape == tensor.shape
    assert bytes(tensors.data_of(back)) == bytes(tensors.data_of(tensor))
    assert back.data_ptr() != tensor.data_ptr()


@pytest.mark.parametrize("name", [name for name in NAMES if tensors.DTYPES[name].itemsize in (1, 2, 4, 8, 16)])
def test_a_view_that_is_not_contiguous_is_read_in_its_own_order(name: str) -> None:
    tensor = noise(tensors.DTYPES[name])
    width = tensor.element_size()
    rows = [bytes(tensors.data_of(tensor))[at * width : (at + 1) * width] for at in range(12)]
    wanted = b"".join(rows[4 * row + column] for column in range(4) for row in range(3))
    assert bytes(tensors.data_of(tensor.t())) == wanted


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,), (2, 0, 5)])
def test_scalars_and_empty_tensors_keep_their_shape(shape: tuple[int, ...]) -> None:
    back = unpack(pack(torch.ones(shape)))
    assert back.shape == torch.Size(shape) and torch.equal(back, torch.ones(shape))


def test_reading_the_bytes_leaves_the_storage_free_to_grow() -> None:
    tensor = torch.zeros(4)
    assert digest_tree(tensor)
    tensor.untyped_storage().resize_(64)  # Tensor.numpy() would have forbidden this


def test_parameter_and_gradient_flags_are_no_part_of_the_value() -> None:
    plain = torch.arange(3.0)
    assert (
        digest_tree(plain)
        == digest_tree(torch.nn.Parameter(plain.clone()))
        == digest_tree(plain.clone().requires_grad_())
    )


@pytest.mark.parametrize(
    "lazy", [torch.randn(3, dtype=torch.complex64).conj(), torch.randn(3, dtype=torch.complex64).conj().imag]
)
def test_a_conjugate_or_negative_view_is_stored_as_the_values_it_shows(lazy: torch.Tensor) -> None:
    assert lazy.is_conj() or lazy.is_neg()
    back = unpack(pack(lazy))
    assert torch.equal(back, lazy.clone()) and not back.is_conj() and not back.is_neg()
    assert digest_tree(lazy) == digest_tree(lazy.resolve_conj().resolve_neg().clone())
    assert torch.equal(unpack(host_copy(pack(lazy))), back)


@pytest.mark.parametrize(
    ("tensor", "reason"),
    [
        (torch.eye(3).to_sparse(), "sparse"),
        (torch.zeros(2, device="meta"), "meta"),
        (torch.nn.parameter.UninitializedParameter(), "UninitializedParameter"),
    ],
)
def test_a_tensor_that_is_more_than_its_bytes_is_refused_with_the_reason(tensor: Any, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        pack({"a": [tensor]})
    assert caught.value.code == "SR-STATE-002"
    assert "a/0" in caught.value.what and reason in caught.value.evidence[0]


@pytest.mark.filterwarnings("ignore")
def test_a_quantised_tensor_is_refused() -> None:
    with pytest.raises(UsageError, match="SR-STATE-002"):
        pack(torch.quantize_per_tensor(torch.zeros(2), 0.1, 0, torch.qint8))


def test_channels_last_comes_back_as_channels_last() -> None:
    tensor = torch.arange(120.0).reshape(2, 3, 4, 5).to(memory_format=torch.channels_last)
    back = unpack(host_copy(pack(tensor)))
    assert back.stride() == tensor.stride() and torch.equal(back, tensor)
    assert digest_tree(tensor) == digest_tree(tensor.contiguous())


def test_a_copy_reuses_memory_of_the_same_kind_only() -> None:
    new, old = torch.arange(4.0), torch.zeros(4)
    assert tensors.copy(new, old) is old and torch.equal(old, new)
    assert tensors.copy(new, torch.zeros(4, dtype=torch.float64)).dtype == torch.float32
    assert tensors.copy(new, torch.zeros(2, 2)).shape == (4,)


def test_the_bytes_of_a_tensor_keep_it_alive() -> None:
    memory = tensors.memory_of(torch.arange(1000))
    assert bytes(memory[8:16]) == (1).to_bytes(8, "little")
