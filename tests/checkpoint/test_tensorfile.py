"""The tensor file: safetensors' own reader understands it, and ours believes nothing in it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch

from samerun.checkpoint import tensorfile
from samerun.errors import DamageError
from samerun.state import tensors
from samerun.state.digest import digest_tree
from samerun.state.join import unpack
from samerun.state.packed import Packed
from samerun.state.tree import pack

NOTE = tensorfile.component_note("model")


def written(packed: Packed) -> bytes:
    return b"".join(tensorfile.blocks(NOTE, packed))


def read(data: bytes, packed: Packed) -> Any:
    entries = tensorfile.specs(packed.structure, packed.layout)
    found, _ = tensorfile.read_tensors(io.BytesIO(data), NOTE, entries, "x")
    return unpack(Packed(packed.structure, found, packed.layout))


def test_tensors_of_every_dtype_come_back_from_a_file() -> None:
    tree: dict[str, Any] = {}
    for name in sorted(tensors.DTYPES):
        tree[name] = tensors.build(name, [3])
        memory = tensors.memory_of(tree[name])
        memory[:] = bytes(at % 2 for at in range(len(memory)))
    tree |= {f"np {text}": np.ones(3, text) for text in ("<f4", ">f8", "?", "G", "<U3", "M8[ns]")}
    tree["empty"], tree["scalar"] = torch.zeros(0, 2), torch.tensor(2.0)
    packed = pack(tree)
    assert digest_tree(read(written(packed), packed)) == digest_tree(tree)


def test_safetensors_reads_what_it_has_names_for() -> None:
    tree = {
        "f": torch.randn(2, 3),
        "b": torch.ones(3).bfloat16(),
        "e": torch.ones(2).to(torch.float8_e5m2),
        "i": torch.arange(4),
        "z": torch.zeros(0, 2),
    }
    loaded = safetensors.torch.load(written(pack(tree)))
    assert set(loaded) == set(tree)
    assert all(loaded[name].dtype == value.dtype and loaded[name].shape == value.shape for name, value in tree.items())
    assert torch.equal(loaded["f"], tree["f"]) and torch.equal(loaded["i"], tree["i"])


def test_safetensors_reads_arrays_too_and_unnamed_dtypes_as_bytes() -> None:
    tree = {"a": np.arange(6.0).reshape(2, 3), "text": np.array(["ab"])}
    loaded = safetensors.numpy.load(written(pack(tree)))
    assert np.array_equal(loaded["a"], tree["a"]) and loaded["text"].tobytes() == tree["text"].tobytes()


def test_our_header_is_the_one_that_safetensors_would_accept_and_aligned() -> None:
    data = written(pack({"é/1": torch.ones(3), "b": torch.ones(1, dtype=torch.bool)}))
    assert int.from_bytes(data[:8], "little") % 8 == 0
    assert set(safetensors.torch.load(data)) == {"é~11", "b"}


def test_contiguous_tensors_are_written_from_where_they_lie() -> None:
    tensor = torch.arange(4.0)
    _, block = tensorfile.blocks(NOTE, pack({"t": tensor}))
    tensor[0] = 9
    assert bytes(block[:4]) == np.float32(9).tobytes()


@pytest.mark.parametrize("at", [0, 7, 8, 20, 100])
def test_a_header_that_differs_by_one_byte_is_refused(at: int) -> None:
    packed = pack({"t": torch.ones(3)})
    data = bytearray(written(packed))
    data[at] ^= 1
    with pytest.raises(DamageError, match="header"):
        read(bytes(data), packed)


def test_a_file_that_ends_early_or_late_is_refused() -> None:
    packed = pack({"t": torch.ones(3), "u": torch.ones(2)})
    data = written(packed)
    for cut in (5, 40, len(data) - 9, len(data) - 1):
        with pytest.raises(DamageError):
            read(data[:cut], packed)
    with pytest.raises(DamageError, match="goes on"):
        read(data + b"x", packed)


def test_a_file_is_read_past_short_reads(tmp_path: Path) -> None:
    class Slow(io.BytesIO):
        def readinto(self, target: Any) -> int:
            return super().readinto(target[:3])

    packed = pack({"t": torch.arange(100)})
    entries = tensorfile.specs(packed.structure, packed.layout)
    found, _ = tensorfile.read_tensors(Slow(written(packed)), NOTE, entries, "x")
    assert torch.equal(found["t"], torch.arange(100))  # type: ignore[arg-type]
