"""One component's tensors as a safetensors file: the way out and the way back.

The header is a function of the structure in state.json, so a reader computes it and compares bytes: no header is ever
parsed, and no name, shape or offset in a file is believed. Bytes go from the tensors' memory to the file and from the
file to fresh memory without another copy; safetensors' own reader reads the files (tested).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from samerun.base.canon import canonical_bytes
from samerun.base.digest import Sha256
from samerun.checkpoint.format import FORMAT, file_damage
from samerun.state import arrays
from samerun.state.digest import data_of
from samerun.state.leaves import JSON
from samerun.state.sharing import slab_name

if TYPE_CHECKING:
    from samerun.state.packed import Packed, Value

METADATA_KEY = "samerun"
ALIGNMENT = 8

# What safetensors can name; every other dtype is stored as U8 and named in state.json alone.
_TORCH = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2", "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8", "uint64": "U64",
    "uint32": "U32", "uint16": "U16", "uint8": "U8", "bool": "BOOL", "complex64": "C64",
}  # fmt: skip
_NUMPY = {
    "<f8": "F64", "<f4": "F32", "<f2": "F16", "<i8": "I64", "<i4": "I32", "<i2": "I16", "|i1": "I8", "<u8": "U64",
    "<u4": "U32", "<u2": "U16", "|u1": "U8", "|b1": "BOOL", "<c8": "C64",
}  # fmt: skip


@dataclass(frozen=True)
class Spec:
    """One entry of the file: its leaf path, dtype and shape as state.json has them."""

    path: str
    is_torch: bool
    dtype: str
    shape: tuple[int, ...]

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        if not self.is_torch:
            return arrays.parse_dtype(self.dtype).itemsize
        from samerun.state import tensors

        return tensors.build(self.dtype, [0]).element_size()

    @property
    def nbytes(self) -> int:
        """Bytes of the entry."""
        count = 1
        for length in self.shape:
            count *= length
        return count * self.itemsize

    def header(self, begin: int) -> dict[str, Any]:
        """Return the entry of the file's header."""
        code = (_TORCH if self.is_torch else _NUMPY).get(self.dtype)
        shape = [self.nbytes] if code is None else list(self.shape)
        return {"dtype": code or "U8", "shape": shape, "data_offsets": [begin, begin + self.nbytes]}


def specs(structure: JSON, layout: Mapping[str, Any]) -> list[Spec]:
    """Return what a component's file holds, in the order of the file: widest elements first, then by path."""
    found: list[Spec] = []
    groups: set[int] = set()
    _collect(structure, found, groups)
    for number in groups:
        name = slab_name(number)
        found.append(Spec(name, False, "|u1", (layout[name]["size"],)))
    return sorted(found, key=lambda spec: (-spec.itemsize, spec.path))


def _collect(node: JSON, found: list[Spec], groups: set[int]) -> None:
    if isinstance(node, list):
        for item in node:
            _collect(item, found, groups)
    elif isinstance(node, dict):
        ((tag, payload),) = node.items()
        if isinstance(payload, list):
            _collect(payload, found, groups)
        elif tag not in ("tensor", "array", "raw"):
            return
        elif "shares" in payload:
            groups.add(payload["shares"][0])
        else:
            found.append(Spec(payload["at"], tag == "tensor", payload["dtype"], tuple(payload["shape"])))


def component_note(component: str) -> dict[str, Any]:
    """Return what the file of a component says of itself."""
    return {"component": component, "format": FORMAT}


def file_header(note: Mapping[str, Any], entries: Sequence[Spec]) -> bytes:
    """Return the first bytes of the file: the header's length, and the header, padded with spaces.

    The note is one metadata key, since safetensors orders several at random.
    """
    table: dict[str, Any] = {"__metadata__": {METADATA_KEY: canonical_bytes(note).decode()}}
    begin = 0
    for spec in entries:
        table[spec.path] = spec.header(begin)
        begin += spec.nbytes
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    return len(text).to_bytes(8, "little") + text


def blocks(note: Mapping[str, Any], packed: Packed) -> Iterator[bytes | memoryview]:
    """Yield the bytes of a file; tensors that lie contiguous in host memory are not copied."""
    entries = specs(packed.structure, packed.layout)
    yield file_header(note, entries)
    for spec in entries:
        if spec.nbytes:
            yield data_of(packed.tensors[spec.path])


def read_tensors(
    file: IO[bytes], note: Mapping[str, Any], entries: Sequence[Spec], where: str
) -> tuple[dict[str, Value], str]:
    """Read a whole file of the entries that a structure promises into fresh memory; return (tensors, SHA-256).

    The digest is over the very bytes that were loaded. Raises DamageError where header or size are other ones.
    """
    running = Sha256()
    header = file_header(note, entries)
    found = file.read(len(header))
    if found != header:
        raise file_damage(where, "its header is not the one that its structure describes")
    running.update(found)
    tensors: dict[str, Value] = {}
    for spec in entries:
        value, target = _allocate(spec)
        if spec.nbytes:
            if _fill(file, target) != spec.nbytes:
                raise file_damage(where, f"it ends inside {spec.path!r:.100}")
            running.update(target)
        tensors[spec.path] = value
    if file.read(1):
        raise file_damage(where, "it goes on after its last tensor")
    return tensors, running.value


def _fill(file: IO[bytes], target: memoryview) -> int:
    done = 0
    while done < len(target):
        count: int = file.readinto(target[done:])  # type: ignore[attr-defined]
        if not count:
            break
        done += count
    return done


def _allocate(spec: Spec) -> tuple[Value, memoryview]:
    if spec.is_torch:
        from samerun.state import tensors

        tensor = tensors.build(spec.dtype, list(spec.shape))
        return tensor, tensors.memory_of(tensor)
    flat = np.empty(spec.nbytes, np.uint8)
    return flat.view(arrays.parse_dtype(spec.dtype)).reshape(spec.shape), flat.data
