"""Names of other modules and classes that are replaced for a while, and all put back in the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Replaced:
    """What was replaced, and by what."""

    def __init__(self) -> None:
        self._originals: dict[tuple[int, str], tuple[Any, Any, Any]] = {}

    def wrap(self, owner: Any, name: str, wrapper: Callable[[Any], Any]) -> None:
        """Replace `owner.name` by what `wrapper` makes of it."""
        self.put(owner, name, wrapper(vars(owner)[name]))

    def put(self, owner: Any, name: str, new: Any) -> None:
        """Replace `owner.name`; a second time does nothing."""
        if (id(owner), name) in self._originals:
            return
        self._originals[(id(owner), name)] = (owner, vars(owner)[name], new)
        setattr(owner, name, new)

    def holds(self, owner: Any, name: str) -> bool:
        """Whether `owner.name` is replaced now."""
        return (id(owner), name) in self._originals

    def original(self, owner: Any, name: str) -> Any:
        """Return what was there before."""
        found = self._originals.get((id(owner), name))
        return vars(owner)[name] if found is None else found[1]

    def undo(self) -> None:
        """Put everything back; what somebody else has replaced since is left to them."""
        for (_, name), (owner, original, new) in reversed(self._originals.items()):
            if vars(owner)[name] is new:
                setattr(owner, name, original)
        self._originals.clear()
