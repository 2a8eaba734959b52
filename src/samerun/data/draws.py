"""What a data set, a transform or a collate function draws from, as they declare it.

`none` nothing; `stream` from the stream it is handed as an argument; `global` from the global generators, which are
set for the item first. Code that declares nothing is taken for `global`. Declared by an attribute `draws`, or for all
of them by the loader's argument.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, get_args, runtime_checkable

from samerun.errors import UsageError

Draws = Literal["none", "stream", "global"]
KINDS: tuple[str, ...] = get_args(Draws)


@runtime_checkable
class Declares(Protocol):
    """Code that says what it draws from."""

    draws: str


@dataclass(frozen=True)
class Plan:
    """What each piece of foreign code draws from; None where there is none."""

    dataset: Draws
    keep: Draws | None
    transform: Draws | None
    collate: Draws | None

    @property
    def needs_stream(self) -> bool:
        """Whether items need a stream at all."""
        return self.sets_globals or self.hands_stream

    @property
    def sets_globals(self) -> bool:
        """Whether the global generators are set for each item."""
        return "global" in (self.dataset, self.keep, self.transform)

    @property
    def hands_stream(self) -> bool:
        """Whether any code is handed the item's stream."""
        return "stream" in (self.dataset, self.keep, self.transform)

    @property
    def draws_globally(self) -> bool:
        """Whether anything may draw from the global generators."""
        return self.sets_globals or self.collate == "global"


def plan_of(
    dataset: object,
    transform: object | None = None,
    collate: object | None = None,
    draws: str | None = None,
    keep: object | None = None,
) -> Plan:
    """Say what each draws from; `draws` overrules what is declared.

    With `draws="stream"` the transform gets the stream; without a transform the data set does. Raises UsageError
    SR-DATA-003 for a word that is none of the three.
    """
    if draws is None:
        return Plan(_declared(dataset), _optional(keep), _optional(transform), _optional(collate))
    chosen = _checked(draws, "draws")
    beside: Draws = "none" if chosen == "stream" else chosen
    return Plan(
        chosen if transform is None else beside,
        None if keep is None else beside,
        None if transform is None else chosen,
        None if collate is None else beside,
    )


def _optional(code: object | None) -> Draws | None:
    return None if code is None else _declared(code)


def _declared(code: object) -> Draws:
    return _checked(code.draws, type(code).__name__) if isinstance(code, Declares) else "global"


def _checked(word: object, where: str) -> Draws:
    if word in KINDS:
        return word  # type: ignore[return-value]
    raise UsageError(
        "SR-DATA-003",
        f"{where}: draws is {word!r}",
        evidence=[f"wanted: {', '.join(KINDS)}"],
        do="say what the code draws from; leave it out for global",
    )
