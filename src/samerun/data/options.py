"""The options of a loader as one value, and which of them cannot be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from samerun.data.draws import Draws
from samerun.data.fetch import Id
from samerun.data.packed import Pack
from samerun.errors import UsageError

MAX_PREFETCH = 32


@dataclass(frozen=True)
class Options:
    """What `Loader` was asked for (its docstring says what each means)."""

    batch_size: int
    shuffle: bool
    drop_last: bool
    num_workers: int
    transform: Callable[..., Any] | None
    collate: Callable[[list[Any]], Any] | None
    draws: Draws | None
    prefetch: int
    item_id: Callable[[int], Id] | Sequence[Id] | None
    keep: Callable[..., bool] | None
    pack: Pack | None
    name: str
    is_noted: bool
    """Somebody is told of each batch, and will want its digest."""
    on_restart: Callable[[str], None] | None

    def __post_init__(self) -> None:
        limits: list[tuple[str, object, int, int | None]] = [
            ("batch_size", self.batch_size, 1, None),
            ("num_workers", self.num_workers, 0, None),
            ("prefetch", self.prefetch, 1, MAX_PREFETCH),
        ]
        wrong = [
            f"{name}: {value!r}, wanted: an integer of at least {low}{f', at most {high}' if high else ''}"
            for name, value, low, high in limits
            if isinstance(value, bool) or not isinstance(value, int) or value < low or (high and value > high)
        ]
        if wrong:
            raise UsageError("SR-DATA-011", "a loader's option is out of range", evidence=wrong, do="correct it")

    @property
    def is_assembled(self) -> bool:
        """Whether the items of a batch are only known by reading them."""
        return self.keep is not None or self.pack is not None

    def check_for_stream(self, takes_stream: bool) -> None:
        """Check that no option was given that a stream cannot have. Raises UsageError SR-DATA-011."""
        given = {
            "num_workers": self.num_workers > 0,
            "item_id": self.item_id is not None,
            "draws='stream' without a transform": takes_stream,
        }
        wrong = [name for name, is_given in given.items() if is_given]
        if wrong:
            raise UsageError(
                "SR-DATA-011",
                "an option of this loader does not go with a stream",
                evidence=[f"given: {', '.join(wrong)}", "a stream is read in one process, items are named by position"],
                do="leave the option out, or give a data set with a length and items",
            )
