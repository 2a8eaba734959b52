"""Names of the files of a source, as they stand in `source.json` and in the snapshot: a group, a slash, and a label.

The label is the path in the project, in the folder it is imported from, or in a package.
"""

from __future__ import annotations

from typing import Final

USER: Final = "user"
RULE: Final = "rule"
PACKAGES: Final = "packages"
OWN: Final = "own"
CHANGED: Final = "changed"
"""Of files that stand in the patch alone."""

GROUPS: Final = (USER, RULE, PACKAGES, OWN, CHANGED)
"""All of them, what is nearest to the user first."""
OF_PROJECT: Final = (USER, RULE)
"""Of files that lie in the project, and are written where that is restored; of two rows of a file the first counts."""
OF_IDENTITY: Final = frozenset({USER, OWN, PACKAGES})
"""Of files that count by their meaning."""
BESIDE: Final = frozenset(GROUPS) - OF_IDENTITY
"""Of files that are recorded and do not count: a rule named them, or they stand in the patch."""


def name_of(group: str, label: str) -> str:
    """Name a file."""
    return f"{group}/{label}"


def group_of(name: str) -> str:
    """Return the group that a name begins with."""
    return name.partition("/")[0]


def label_of(name: str) -> str:
    """Return a name without its group."""
    return name.partition("/")[2]
