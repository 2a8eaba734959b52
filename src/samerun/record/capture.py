"""What is recorded of a project beside the modules that run: git, the patch, files that rules name, what is left out.

All of it is of one instant: what was written while it was read is in `moved`, and the caller reads again. A snapshot is
complete when commit, patch and stored files give back every byte that counts; the reasons why one is not stand with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from samerun.base.redact import redact_text
from samerun.record.git.ask import NO_REPOSITORY, Git
from samerun.record.git.facts import Survey, head_of, survey
from samerun.record.left_out import LeftOut, with_digests
from samerun.record.neighbours import Neighbour, neighbours
from samerun.record.patched import Patched, patched_files
from samerun.record.ruled import ruled_files
from samerun.record.rules import Rules, rules_of
from samerun.record.source import RULE, USER, Source
from samerun.record.stored import Stored, stored_files, stored_name, why_not_whole
from samerun.record.untracked import untracked_files

_LISTED: Final = 1000


@dataclass(frozen=True)
class Capture:
    """Everything that source.json, source.patch and source-files.tar say of a start."""

    source: Source
    """With the files that rules name."""
    survey: Survey
    stored: Stored
    patched: Patched
    left_out: tuple[LeftOut, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    rules: Rules = field(default_factory=Rules)
    moved: tuple[str, ...] = ()
    """What was written while it was read."""
    incomplete: tuple[str, ...] = ()
    """Why commit, patch and stored files do not give back every byte that counts; empty where they do."""

    @property
    def is_dirty(self) -> bool:
        """Whether git knows of a difference to the commit."""
        return self.survey.facts.is_dirty

    def unsettled(self) -> Capture:
        """Return it as one that never came to rest: what moved was read at different instants."""
        more = tuple(redact_text(f"{name}: it kept changing while it was recorded") for name in self.moved)
        return replace(self, incomplete=(*self.incomplete, *more))

    def facts(self) -> dict[str, Any]:
        """Give what stands in source.json beside the rows of the files."""
        return {
            "git": self.survey.facts.as_json(),
            "is_complete": not self.incomplete,
            "incomplete": list(self.incomplete),
            "left_out": [row.as_json() for row in self.left_out[:_LISTED]],
            "num_left_out": len(self.left_out),
            "neighbours": [one.as_json() for one in self.neighbours],
            "rules": {"include": list(self.rules.include), "exclude": list(self.rules.exclude)},
            "changed_meanwhile": [],
        }

    @property
    def is_redacted(self) -> bool:
        """Whether the patch leaves out a file for a secret."""
        return any(row.is_secret for row in self.survey.patch.left_out)


def capture(source: Source, skip: Path | None = None) -> Capture:
    """Record the project of `source` as it is now; `skip`, the folder of runs, is no part of it.

    Takes about 40 ms, most of it git's. Raises ConfigError for rules that cannot be understood.
    """
    skip = None if skip is None else skip.resolve()
    deadline = Git.until()
    found = survey(source.root, skip, deadline)
    rules = rules_of(source.root)
    modules = set(source.paths(USER))
    ruled = ruled_files(source.root, rules, modules, skip)
    whole = source.with_ruled(ruled.files)
    known = {*modules, *whole.paths(RULE)}
    stored = stored_files(whole.files)
    left_out = _left_out(whole, found, rules, stored, [*found.patch.left_out, *ruled.left_out], known, skip)
    outside = [file for file in source.of(USER) if file.path is not None and not file.path.is_relative_to(source.root)]
    patched = patched_files(found.top, found.patch.changes, known, found.marks)
    return Capture(
        source=whole,
        survey=found,
        stored=stored,
        patched=patched,
        left_out=left_out,
        neighbours=neighbours(outside, found.top, deadline),
        rules=rules,
        moved=tuple(sorted(_moved(whole, found, patched, deadline))),
        incomplete=tuple(map(redact_text, _incomplete(whole, found, stored, left_out))),
    )


def _left_out(
    source: Source,
    found: Survey,
    rules: Rules,
    stored: Stored,
    gone: list[LeftOut],
    known: set[Path],
    skip: Path | None,
) -> tuple[LeftOut, ...]:
    kept = {file.path for file in source.files if file.path is not None and stored.is_whole(stored_name(file))}
    rows = [_weighed(row, kept, found, rules, source.root) for row in gone]
    if found.top is not None:
        rows += untracked_files(found.top, found.untracked, known, rules, source.root, skip)
    return with_digests(rows)


def _weighed(row: LeftOut, kept: set[Path], found: Survey, rules: Rules, root: Path) -> LeftOut:
    """Say that a file does not count after all: it is stored whole, as committed, or left out on purpose."""
    if row.place is None:
        return row
    if row.place in kept:
        return replace(row, counts=False, reason=f"not in the patch, but in the snapshot: {row.reason}")
    if row.place.is_relative_to(root) and rules.excludes(row.place.relative_to(root).as_posix()):
        return replace(row, counts=False, reason="excluded by a rule")
    return replace(row, counts=row.counts and not _is_committed(row.place, found))


def _is_committed(path: Path, found: Survey) -> bool:
    if found.top is None or not path.is_relative_to(found.top) or found.facts.commit is None:
        return False
    name = os.fsencode(path.relative_to(found.top))
    return name in found.index.paths and name not in found.dirty


def _moved(source: Source, found: Survey, patched: Patched, deadline: float) -> Iterator[str]:
    # A git that no longer answers says nothing about a move.
    if found.facts.commit is not None and head_of(source.root, deadline) not in (None, found.facts.commit):
        yield "HEAD"
    yield from (file.label for file in source.changed())
    yield from patched.moved()
    yield from found.patch.moved


def _incomplete(source: Source, found: Survey, stored: Stored, left_out: tuple[LeftOut, ...]) -> Iterator[str]:
    for file in (*source.of(USER), *source.of(RULE)):
        if stored.is_whole(stored_name(file)) or (file.path is not None and _is_committed(file.path, found)):
            continue
        yield f"{file.label}: {why_not_whole(stored.rows[stored_name(file)])}"
    yield from (f"{row.path}: {row.reason}" for row in left_out if row.counts)
    facts = found.facts
    if facts.reason not in (None, NO_REPOSITORY):
        yield f"git: {facts.reason}; what else differs from the commit is unknown"
    yield from (f"{one.path}: {one.reason}" for one in facts.submodules if one.reason and one.commit is not None)
