"""Walk files: what a program held at the beginning of some of its steps, besides what a checkpoint keeps.

One sealed JSON document, read and compared without torch. What is looked at is run/carried/'s, how two walks of one run
are compared judge/untracked.py's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import NoMatchError
from samerun.record.layout import RUN_FORMAT
from samerun.record.manifest import check_format, malformed

SCHEMA: Final = "samerun.walk"
ABSENT: Final = "absent"
"""What is shown for a value that is not there."""
GRADIENTS: Final = "gradients"
"""The kind of leaf that is marked `is_updated` where a step was seen to use gradients that lay there before it."""


@dataclass(frozen=True)
class Leaf:
    """One value at one instant."""

    kind: str
    """What holds it: attribute, local, closure, global, default, buffer, gradients, generator, iterator, cache, ..."""
    token: str
    """Equal in two processes exactly where the value is equal."""
    shown: str
    """The value for people, short."""
    owner: str
    """The path under which it is reported: its own, or that of the container or object that it is a part of."""
    how_to_save: str
    is_rebound: bool = False
    """Whether it is a variable that the loop may read before it assigns it, and does assign: it is carried, surely."""
    is_updated: bool = False
    """Whether some code reads it and then assigns it (`self.best = max(self.best, loss)`)."""
    is_read: bool = False
    """Whether any code reads it other than behind an assignment of its own."""


@dataclass(frozen=True)
class Boundary:
    """The beginning of one step."""

    tracked: str
    """Digest of all tracked state."""
    leaves: Mapping[str, Leaf]
    """By path, in the order of the walk."""


@dataclass(frozen=True)
class Walk:
    """What one process held; a step is the number of completed steps."""

    boundaries: Mapping[int, Boundary]
    unseen: tuple[str, ...] = field(default=())
    """What could not be looked into, with the reason."""

    def write(self, path: Path) -> None:
        """Write the file, replacing one that stands there."""
        boundaries = {
            str(step): {
                "tracked": at.tracked,
                "order": list(at.leaves),
                "leaves": {name: asdict(leaf) for name, leaf in at.leaves.items()},
            }
            for step, at in self.boundaries.items()
        }
        write_sealed(
            path, {"schema": SCHEMA, "format": RUN_FORMAT, "boundaries": boundaries, "unseen": list(self.unseen)}
        )

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file. Raises NoMatchError SR-RECORD-027 where there is none, DamageError for what is no whole walk."""
        if not path.is_file():
            raise NoMatchError(
                "SR-RECORD-027",
                f"there is no walk {path.name}",
                evidence=[f"looked for: {path}"],
                do="a run writes one where it is looked at and comes to its end (samerun verify --resume)",
            )
        document = read_sealed(path)
        check_format(document, SCHEMA, str(path))
        try:
            boundaries = {int(step): _boundary(at) for step, at in document["boundaries"].items()}
            return cls(dict(sorted(boundaries.items())), tuple(document["unseen"]))
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise malformed(str(path), f"it is no walk: {problem!r}") from None


def _boundary(value: Any) -> Boundary:
    return Boundary(value["tracked"], {name: Leaf(**value["leaves"][name]) for name in value["order"]})
