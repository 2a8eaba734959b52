"""Repositories outside of the project that a run imports from: editable installs, PYTHONPATH. Their commit and dirt.

The imported files themselves are stored with the run; nothing else of such a repository is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from samerun.record.git.facts import GitFacts
from samerun.record.git.tree import nearest_repository, status_of, work_tree
from samerun.record.source import SourceFile

_ASKED: Final = 8
_LISTED: Final = 100
_FACTS: Final = ("commit", "branch", "remote", "is_dirty", "num_changed", "reason")


@dataclass(frozen=True)
class Neighbour:
    """One repository, named by the files that come from it."""

    files: tuple[str, ...]
    facts: GitFacts

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in source.json."""
        facts = self.facts.as_json()
        return {
            "files": list(self.files[:_LISTED]),
            "num_files": len(self.files),
            **{key: facts[key] for key in _FACTS},
            "changed": facts["changed"][:_LISTED],
        }


def neighbours(files: Sequence[SourceFile], top: Path | None, deadline: float) -> tuple[Neighbour, ...]:
    """Ask about the repositories of `files` other than the one at `top`, the first few of them."""
    labels: dict[Path, list[str]] = {}
    for file in files:
        found = None if file.path is None else nearest_repository(file.path.parent)
        if found is not None and found != top and not (top is not None and found.is_relative_to(top)):
            labels.setdefault(found, []).append(file.label)
    return tuple(Neighbour(tuple(sorted(labels[place])), _facts(place, deadline)) for place in sorted(labels)[:_ASKED])


def _facts(place: Path, deadline: float) -> GitFacts:
    tree, reason = work_tree(place, deadline)
    if tree is None:
        return GitFacts(reason=reason)
    status = status_of(tree)
    return GitFacts(
        status.commit, status.branch, tree.remote, status.lines, is_shallow=tree.is_shallow, reason=status.reason
    )
