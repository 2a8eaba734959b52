"""Immutable pieces of append-only state (pools, trajectories, replay buffers), named by digest, shared by checkpoints.

A component that only grows writes each new piece once with `write_chunk`, keeps the list of names in its own state,
and hands the list to `write_checkpoint(chunks=...)`; `read_chunk` gives a piece back. Retention deletes pieces that no
checkpoint names any more. A piece is one safetensors file whose note holds the structure.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from samerun.base import files
from samerun.base.canon import parse_json
from samerun.base.digest import sha256
from samerun.checkpoint import tensorfile
from samerun.checkpoint.format import CHUNKS, FORMAT, file_damage
from samerun.checkpoint.index import read_whole
from samerun.errors import DamageError
from samerun.state.join import unpack
from samerun.state.packed import Packed
from samerun.state.tree import pack

_NAME = re.compile(r"sha256:([0-9a-f]{64})")
_FILE = re.compile(r"([0-9a-f]{64})\.safetensors")


def chunk_path(folder: Path, name: str) -> Path:
    """Return the file of a piece in a folder of checkpoints. A name that is no digest is DamageError."""
    found = _NAME.fullmatch(name)
    if found is None:
        raise file_damage(f"{CHUNKS}/", f"{name!r:.80} cannot name a piece")
    return folder / CHUNKS / f"{found[1]}.safetensors"


def write_chunk(folder: Path, tree: object) -> str:
    """Write a piece, durably, and return its name (`sha256:...`); equal pieces are one file.

    Retention may take it away until a checkpoint names it: write pieces and their checkpoint between two retentions.
    """
    packed = pack(tree)
    note = {"format": FORMAT, "structure": packed.structure, "layout": packed.layout}
    files.make_dir(folder / CHUNKS)
    temporary = files.hidden_sibling(folder / CHUNKS / "chunk")
    try:
        _, name = files.write_chunks(temporary, tensorfile.blocks(note, packed))
        if has_chunk(folder, name):
            files.remove(temporary)
        else:
            files.rename(temporary, chunk_path(folder, name))
    except BaseException:
        files.remove(temporary)
        raise
    return name


def has_chunk(folder: Path, name: str) -> bool:
    """Whether the piece is there (its bytes are checked when it is read)."""
    return chunk_path(folder, name).is_file()


def read_chunk(folder: Path, name: str) -> Any:
    """Return the state of a piece, in fresh memory. Raises DamageError where its bytes do not have its name."""
    path = chunk_path(folder, name)
    where = f"{CHUNKS}/{path.name}"
    data = read_whole(path, where)
    if sha256(data) != name:
        raise file_damage(where, "its bytes are not those of its name", f"found: {sha256(data)}")
    length = int.from_bytes(data[:8], "little")
    try:
        table = parse_json(data[8 : 8 + length], where)
        note = parse_json(table["__metadata__"][tensorfile.METADATA_KEY].encode(), where)
        entries = tensorfile.specs(note["structure"], note["layout"])
        tensors, _ = tensorfile.read_tensors(io.BytesIO(data), note, entries, where)
        return unpack(Packed(note["structure"], tensors, note["layout"]))
    except DamageError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as problem:
        raise file_damage(where, "it is no piece of state", f"{type(problem).__name__}: {problem}") from problem


def delete_unnamed(folder: Path, named: Collection[str]) -> list[str]:
    """Delete the pieces that are not in `named`; return their names."""
    try:
        found = sorted(os.listdir(folder / CHUNKS))
    except FileNotFoundError:
        return []
    names = {f"sha256:{match[1]}" for file in found if (match := _FILE.fullmatch(file))}
    unnamed = sorted(names - set(named))
    for name in unnamed:
        files.remove(chunk_path(folder, name))
    return unnamed
