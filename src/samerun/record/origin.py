"""Where the source of a run came from, in the few facts that `show` tells: commit, dirt, completeness, later edits."""

from __future__ import annotations

from dataclasses import dataclass

from samerun.base.text import plural
from samerun.errors import SamerunError
from samerun.record import layout
from samerun.record.reader import RunRecord


@dataclass(frozen=True)
class SourceFacts:
    """What source.json says of the whole."""

    commit: str | None
    branch: str | None
    is_dirty: bool
    num_changed: int
    reason: str | None
    """Why git is not known, or not all of it."""
    is_complete: bool
    incomplete: tuple[str, ...]
    """Why commit, patch and stored files do not give back every byte that counts."""
    num_left_out: int
    changed_meanwhile: tuple[str, ...]
    """Files that were edited between the start and the end of a process."""

    def __str__(self) -> str:
        place = f"commit {self.commit[:12]}" if self.commit else self.reason or "no commit"
        branch = f" on {self.branch}" if self.commit and self.branch else ""
        dirt = f", {plural(self.num_changed, 'uncommitted change')}" if self.is_dirty else ""
        more = f" and {len(self.incomplete) - 1} more" if len(self.incomplete) > 1 else ""
        whole = "all stored" if self.is_complete else f"not all stored: {self.incomplete[0]}{more}"
        return f"{place}{branch}{dirt}; {whole}"


def source_facts(record: RunRecord) -> SourceFacts | None:
    """Read them; None for a run without source.json, or one that says nothing of git."""
    try:
        document = record.document(layout.SOURCE) if record.has(layout.SOURCE) else {}
    except SamerunError:
        return None  # `verify --files` says what is damaged; a run is shown all the same
    git = document.get("git")
    if not isinstance(git, dict):
        return None
    return SourceFacts(
        commit=git["commit"],
        branch=git["branch"],
        is_dirty=git["is_dirty"],
        num_changed=git["num_changed"] + sum(len(one["changed"]) for one in git["submodules"]),
        reason=git["reason"],
        is_complete=document["is_complete"],
        incomplete=tuple(document["incomplete"]),
        num_left_out=document["num_left_out"],
        changed_meanwhile=tuple(row["path"] for row in document["changed_meanwhile"]),
    )
