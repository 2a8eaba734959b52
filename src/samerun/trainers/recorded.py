"""A recipe's settings as they are recorded: without the paths of this machine, which are kept apart for local.json.

Resolving is config/'s work, and what is taken out is decided in base/places.py. Secrets are references by now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.base.digest import sha256
from samerun.base.places import hide_paths, shown_bytes, shown_text, shown_tree
from samerun.config.resolved import Config
from samerun.record import layout
from samerun.record.local import recorded_places
from samerun.record.resolved import ResolvedConfig


@dataclass(frozen=True)
class RecordedRecipe:
    """What of a recipe goes into the run folder."""

    config: ResolvedConfig
    submitted: bytes
    """The recipe's bytes, in which each path of this machine is a mark."""
    local: Mapping[str, Any]
    """What only this machine knows: for local.json."""


def recorded(config: Config) -> RecordedRecipe:
    """Return a resolved recipe as it is recorded.

    The digest beside the submitted bytes is that of the bytes that are stored: one of the recipe itself would let
    anyone test what a path was.
    """
    values, places = hide_paths(config.plain)
    submitted = shown_bytes(config.submitted)
    notes = [shown_text(note) for note in config.notes]
    if submitted != config.submitted:
        notes.append("the recipe is stored without the paths of the machine that it was written for")
    document = ResolvedConfig(
        values=values,
        origins={path: shown_tree(origin.as_json()) for path, origin in config.origins.items()},
        asides=config.asides,
        identity_digest=config.digest,
        submitted_name=layout.submitted_name(Path(config.submitted_name).suffix),
        submitted_digest=sha256(submitted),
        notes=tuple(notes),
    )
    return RecordedRecipe(document, submitted, recorded_places(places))
