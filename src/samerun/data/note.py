"""What a loader says of each batch that it hands over: which items, which bits, what was drawn for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from samerun.errors import UsageError
from samerun.state.digest import digest_tree


@dataclass(frozen=True, slots=True)
class BatchNote:
    """One consumed batch."""

    epoch: int
    ids: Any
    """Ids of its items in order (array; int64 indices unless the loader was given ids)."""
    batch: Any
    counts: Mapping[str, int]
    """Numbers drawn for it, by template: they belong to the step that consumes it, whichever process drew them."""

    @property
    def digest(self) -> str:
        """The xxh3 digest of the batch; of its ids alone where the batch holds what a state cannot (own classes)."""
        try:
            return digest_tree(self.batch)
        except UsageError:
            return digest_tree({"ids": [str(item) for item in self.ids]})
