"""The verb `streams`: the whole namespace of randomness, and what a run's trail says was drawn from each.

The namespace itself is registry.py; rows of a trail are handed in, since records live above streams.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from samerun.streams.registry import BY_TEXT, TEMPLATES, USER_PREFIXES


@dataclass(frozen=True)
class ListedStream:
    """One family of streams; `drawn` is how many numbers a run took from it, null where no run was asked about."""

    template: str
    description: str
    is_user: bool
    drawn: int | None
    first_step: int | None
    """The first step in which a number was drawn."""


def streams(rows: Iterable[Mapping[str, Any]] | None = None) -> tuple[ListedStream, ...]:
    """List every family of streams, in the order of the registry, then the user's own streams found in `rows`.

    `rows` are those of a trail, in order. Numbers drawn outside steps (set-up, evaluation) are in no row.
    """
    drawn, first = _tally(rows or ())
    known = None if rows is None else 0
    listed = [
        ListedStream(
            template.text,
            template.description,
            template.is_user,
            drawn.get(template.text, known),
            first.get(template.text),
        )
        for template in TEMPLATES
    ]
    own = [
        ListedStream(text, _form_of(text), True, drawn[text], first[text])
        for text in sorted(drawn)
        if text not in BY_TEXT
    ]
    return (*listed, *own)


def _tally(rows: Iterable[Mapping[str, Any]]) -> tuple[dict[str, int], dict[str, int]]:
    drawn: dict[str, int] = {}
    first: dict[str, int] = {}
    for row in rows:
        for text, count in row["streams"].items():
            drawn[text] = drawn.get(text, 0) + int(count)
            first.setdefault(text, int(row["step"]))
    return drawn, first


def _form_of(text: str) -> str:
    form = USER_PREFIXES.get(text.split("/")[0], BY_TEXT["user/..."])
    return form.description
