"""Where a walk stands: the path to a value as it is reported, and what is known of the way there."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Place:
    """The way to one value."""

    path: str
    kind: str
    name: str
    """The last word of the path: the attribute, variable or key."""
    how_to_save: str
    owner: str = ""
    """Under which path everything below is reported; empty: each value under its own."""
    is_whole: bool = False
    """Whether the value belongs to an object that is reported as a whole (an optimizer, an iterator)."""
    is_tracked: bool = False
    """Whether it hangs on a tracked object."""
    is_saved: bool = False
    """Whether its parameters, buffers and slots are surely in the state_dict of a tracked module or optimizer."""
    advice_below: str = ""
    """How everything below is saved, where that does not depend on what holds it."""
    is_rebound: bool = False
    """Whether it is a variable that the loop may read before it assigns it, and does assign."""
    depth: int = 0

    def attribute(self, name: str, kind: str, how_to_save: str, *, is_saved: bool = False) -> Place:
        """Return the place of an attribute; inside of a whole its kind and advice stay those of the whole."""
        below = replace(self, path=f"{self.path}.{name}", name=name, depth=self.depth + 1, is_rebound=False)
        if self.is_whole:
            return below
        return replace(below, kind=kind, how_to_save=self.advice_below or how_to_save, owner="", is_saved=is_saved)

    def item(self, key: str, name: str | None = None) -> Place:
        """Return the place of an item of a container; a plain one is reported under the container."""
        return replace(
            self,
            path=f"{self.path}[{key}]",
            name=self.name if name is None else name,
            owner=self.owner or self.path,
            depth=self.depth + 1,
            is_rebound=False,
            is_saved=False,
        )

    def length(self) -> Place:
        """Return the place of a container's length."""
        return replace(self, path=f"{self.path} (length)", owner=self.owner or self.path, is_rebound=False)

    def inner(self, mark: str) -> Place:
        """Return a place below that is no attribute: the frame of a generator, the iterator in an iterator."""
        return replace(self, path=f"{self.path}{mark}", depth=self.depth + 1, is_rebound=False)

    def whole(self, kind: str, how_to_save: str) -> Place:
        """Return the place of something that is reported as a whole."""
        if self.is_whole:
            return self
        return replace(self, owner=self.path, kind=kind, how_to_save=how_to_save, is_whole=True, is_rebound=False)

    def apart(self, path: str, kind: str, name: str, how_to_save: str) -> Place:
        """Return the place of something with a name of its own, such as a variable of a closure."""
        if self.is_whole:
            return replace(self, path=path, name=name, depth=self.depth + 1)
        below = replace(self, path=path, kind=kind, name=name, how_to_save=how_to_save, owner="")
        return replace(below, depth=self.depth + 1, is_rebound=False)
