"""torch leaves: the bytes of a tensor in C order, and back, for every dtype, without NumPy and without arithmetic.

Bytes are read through the address: `Tensor.numpy()` would leave the storage unable to grow, and knows no bf16 or fp8.
Only strided tensors with data count; sparse, quantised, meta and wrapped ones are refused by name.
"""

from __future__ import annotations

import ctypes
from typing import Any

import torch

from samerun.errors import UsageError
from samerun.state.arrays import is_dense
from samerun.state.leaves import damaged, type_name

PLAIN_TYPES = (torch.Tensor, torch.nn.Parameter)
DTYPES = {
    str(value).removeprefix("torch."): value
    for name, value in sorted(vars(torch).items())
    if isinstance(value, torch.dtype) and not name.startswith(("qint", "quint", "bits"))
}
_SAME_SIZE = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}


def check(tensor: torch.Tensor, path: str) -> None:
    """Raise UsageError (SR-STATE-002) where a tensor is not one block of numbers that can be stored by its bytes."""
    why = _refusal(tensor)
    if why is not None:
        raise UsageError(
            "SR-STATE-002",
            f"{path or 'the state'} is a tensor that a state cannot hold",
            evidence=[why],
            do="store the plain tensors it is made of (for a sparse one: indices, values and size)",
        )


def _refusal(tensor: torch.Tensor) -> str | None:
    if type(tensor) not in PLAIN_TYPES:
        return f"it is {type_name(tensor)}, whose data is not (only) its own memory"
    if tensor.layout is not torch.strided or tensor.is_nested:
        return f"its layout is {tensor.layout}{', nested' if tensor.is_nested else ''}"
    if tensor.device.type == "meta":
        return "it is on the device meta: it has a shape and no data"
    if dtype_text(tensor) not in DTYPES:
        return f"its dtype is {tensor.dtype}, which needs more than its bytes to be read"
    return None


def dtype_text(tensor: torch.Tensor) -> str:
    """Return the dtype without `torch.`: float32, bfloat16, float8_e4m3fn."""
    return str(tensor.dtype).removeprefix("torch.")


def memory_of(tensor: torch.Tensor) -> memoryview:
    """Return the memory of a contiguous CPU tensor as writable bytes; the view keeps the tensor alive."""
    size = tensor.numel() * tensor.element_size()
    if size == 0:
        return memoryview(b"")
    block: Any = (ctypes.c_ubyte * size).from_address(tensor.data_ptr())
    block.owner = tensor
    return memoryview(block).cast("B")


def is_direct(tensor: torch.Tensor) -> bool:
    """Whether the bytes of a tensor in C order lie in host memory as they are."""
    return tensor.device.type == "cpu" and tensor.is_contiguous() and not tensor.is_conj() and not tensor.is_neg()


def data_of(tensor: torch.Tensor) -> memoryview:
    """Return the bytes of any tensor in C order, on the host; without a copy where `is_direct`."""
    return memory_of(host(tensor))


def host(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor itself or a copy of it that is contiguous and on the host, bit for bit."""
    tensor = tensor.detach()
    if is_direct(tensor):
        return tensor
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    return _bits(tensor).contiguous().cpu().view(tensor.dtype)


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor as whole numbers of the same size: torch copies those of every dtype, and never rounds them."""
    return tensor.view(_SAME_SIZE.get(tensor.element_size(), tensor.dtype))


def copy(tensor: torch.Tensor, old: torch.Tensor | None = None) -> torch.Tensor:
    """Return a copy on the host with memory of its own, bit for bit and with the strides of a dense original.

    Where `old` is a tensor of the same dtype, shape and strides, it is overwritten and returned.
    """
    tensor = tensor.detach()
    if tensor.device.type == "cpu" and not tensor.is_conj() and not tensor.is_neg():
        if old is not None and _is_alike(tensor, old):
            put(old, tensor)
            return old
        return _bits(tensor).clone().view(tensor.dtype)
    return host(tensor)


def _is_alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.stride() == b.stride()


def build(dtype: str, shape: list[int]) -> torch.Tensor:
    """Return a new tensor on the host, to be filled through `memory_of`; an unknown dtype is a DamageError."""
    if dtype not in DTYPES:
        raise damaged(f"it names the torch dtype {dtype!r:.60}")
    kind = DTYPES[dtype]
    return torch.empty(shape, dtype=_SAME_SIZE.get(kind.itemsize, kind)).view(kind)


def byte_range(tensor: torch.Tensor) -> tuple[int, int]:
    """Return the addresses [low, high) that the elements of a tensor touch."""
    low = tensor.data_ptr()
    reach = sum((length - 1) * stride for length, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return low, low + (reach + 1) * tensor.element_size()


def permutation(tensor: torch.Tensor) -> list[int] | None:
    """Return the strides of a tensor that is dense but not in C order (channels last, a transpose), else None."""
    if tensor.is_contiguous() or not is_dense(list(tensor.shape), list(tensor.stride())):
        return None
    return list(tensor.stride())


def restride(tensor: torch.Tensor, strides: list[int]) -> torch.Tensor:
    """Return the same values in a new tensor with the given strides."""
    if len(strides) != tensor.dim() or not is_dense(list(tensor.shape), strides):
        raise damaged(f"the strides {strides!r:.60} do not fit the shape {list(tensor.shape)}")
    bits = _bits(tensor)
    return torch.empty_strided(bits.shape, strides, dtype=bits.dtype).copy_(bits).view(tensor.dtype)


def put(target: torch.Tensor, source: torch.Tensor) -> None:
    """Copy bits between two tensors of one dtype and shape, past arithmetic and autograd."""
    with torch.no_grad():
        _bits(target).copy_(_bits(source))


def place(tensor: torch.Tensor, device: str) -> torch.Tensor:
    """Move a tensor to the device it was on, where this machine has it; else leave it on the host."""
    kind, _, index = device.partition(":")
    if kind == "cuda" and torch.cuda.is_available() and int(index or 0) < torch.cuda.device_count():
        return tensor.to(device)
    return tensor


def view(slab: Any, dtype: str, shape: list[int], offset: int, strides: list[int]) -> torch.Tensor:
    """Return a tensor over the bytes of a NumPy `slab`; offset and strides in bytes."""
    if dtype not in DTYPES:
        raise damaged(f"it names the torch dtype {dtype!r:.60}")
    kind = DTYPES[dtype]
    try:
        whole = torch.from_numpy(slab).view(kind)
        steps = [stride // kind.itemsize for stride in strides]
        return whole.as_strided(shape, steps, offset // kind.itemsize)
    except (RuntimeError, TypeError) as problem:
        raise damaged(f"a view does not fit its memory: {problem}") from None
