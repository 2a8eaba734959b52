"""What the index says of each component: the digests of its state and of its leaves, and the pieces it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from samerun.checkpoint.chunks import has_chunk
from samerun.checkpoint.format import ComponentFacts, file_damage
from samerun.state.digest import digest_both
from samerun.state.join import unpack
from samerun.state.packed import Packed


def describe(
    folder: Path, components: Mapping[str, Packed], chunks: Mapping[str, Sequence[str]]
) -> dict[str, ComponentFacts]:
    """Return the facts of each component. A piece that was never written to `folder` is DamageError."""
    return {name: _describe_one(folder, packed, chunks.get(name, ())) for name, packed in components.items()}


def _describe_one(folder: Path, packed: Packed, pieces: Sequence[str]) -> ComponentFacts:
    for name in pieces:
        if not has_chunk(folder, name):
            raise file_damage(f"chunks/{name}", "it is named by a state and was never written")
    digest, leaves = digest_both(unpack(packed))
    return ComponentFacts(digest, leaves, packed.is_module, tuple(pieces))
