"""`run.values`: a loop's own numbers, kept in every checkpoint. A dict that only takes what a checkpoint can hold.

What a leaf may be is decided in `state/`; this file only gives it the shape of a tracked object.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

from samerun.run.unstored import refuse_secret_value


class Values(MutableMapping[str, Any]):
    """A dict with text keys whose content is captured at every checkpoint and put back on resume."""

    def __init__(self) -> None:
        self._items: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(f"run.values takes text keys, not {type(key).__name__}")
        refuse_secret_value(key, value)
        self._items[key] = value

    def __delitem__(self, key: str) -> None:
        del self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"Values({self._items!r})"

    def state_dict(self) -> dict[str, Any]:
        return dict(self._items)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._items = dict(state)
