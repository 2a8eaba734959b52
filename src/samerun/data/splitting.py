"""Split a manifest: each entry is put into a split by its id, its group or its content, or by its time.

A group is never parted, and an entry that was added moves no other one. The rule itself is split.py's and cuts.py's.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from samerun.data.check import Wanted, find_duplicates
from samerun.data.cuts import check_cuts, choose_cuts, place_of
from samerun.data.duplicates import Duplicates, refuse_duplicates
from samerun.data.entry import Entry
from samerun.data.manifest import Manifest
from samerun.data.manifest_file import write_manifest
from samerun.data.split import Id, check_fractions, split
from samerun.errors import RefusedError, UsageError

By = Literal["group", "id", "content"]
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
TIMES: Final = ("id", "label", "group", "time")


@dataclass(frozen=True)
class Split:
    """The answer."""

    manifest: Manifest
    """Every entry with its split."""
    names: tuple[str, ...]
    """The splits, in the order given."""
    duplicates: Duplicates

    @property
    def counts(self) -> dict[str, int]:
        """Entries in each split."""
        found = Counter(entry.split for entry in self.manifest.entries)
        return {name: found[name] for name in self.names}

    @property
    def classes(self) -> dict[str, dict[str, int]]:
        """Label -> how many of it are in each split; empty where no entry has a label."""
        found = Counter((entry.label, entry.split) for entry in self.manifest.entries if entry.label is not None)
        labels = sorted({str(label) for label, _ in found})
        return {label: {name: found[label, name] for name in self.names} for label in labels}

    @property
    def empty(self) -> tuple[str, ...]:
        """Splits without an entry."""
        return tuple(name for name, count in self.counts.items() if count == 0)

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values; the entries are in the file."""
        return {
            "digest": self.manifest.digest,
            "rule": dict(self.manifest.split),
            "counts": self.counts,
            "classes": self.classes,
            "empty": list(self.empty),
            "duplicates": self.duplicates.as_json(),
        }


def split_manifest(
    manifest: Manifest,
    fractions: Mapping[str, float] | None = None,
    *,
    by: By | None = None,
    key: str = "split",
    chronological: str | None = None,
    cuts: Mapping[str, str | None] | None = None,
    near: Path | None = None,
    strict: bool = False,
) -> Split:
    """Put every entry of a manifest into a split.

    By default an entry goes where its group goes, and one without a group where its id goes; `by` says otherwise, and
    is refused where that would part a group.
    `chronological` is what gives the time (`id`, `label`, `group` or `time`), and `cuts` the time at which each split
    begins (else chosen from the fractions). `near` is where the data lies, to look for near duplicates; `strict`
    refuses any (RefusedError SR-DATA-030). Raises UsageError SR-DATA-017, -032, -033, RefusedError SR-DATA-034 for a
    group that would be parted.
    """
    _check(fractions, cuts, chronological, by)
    rule: dict[str, Any]
    if chronological is not None:
        placed, rule = _by_time(manifest.entries, fractions or {}, cuts, chronological)
        names = tuple(fractions or rule["cuts"])
    else:
        assert fractions is not None
        names = tuple(fractions)
        chosen = by or "group"
        placed = _by_unit(manifest.entries, fractions, key, chosen)
        rule = {"by": chosen, "fractions": dict(fractions), "key": key}
    _refuse_parted(placed)
    wanted: Wanted = "exact" if near is None else "near"
    found = find_duplicates(manifest, placed, near, wanted)
    if strict:
        refuse_duplicates(found)
    return Split(replace(manifest, entries=tuple(placed), split=rule), names, found)


def write_split(path: Path, found: Split) -> list[Path]:
    """Write a split: a file holds every entry with its split, a folder one manifest for each split.

    A folder is meant by a name without an ending. Returns the files that were written.
    """
    if path.suffix and not path.is_dir():
        write_manifest(path, found.manifest)
        return [path]
    written = []
    for name in found.names:
        members = tuple(entry for entry in found.manifest.entries if entry.split == name)
        write_manifest(path / f"{name}.jsonl", replace(found.manifest, entries=members))
        written.append(path / f"{name}.jsonl")
    return written


def _check(
    fractions: Mapping[str, float] | None,
    cuts: Mapping[str, str | None] | None,
    chronological: str | None,
    by: str | None,
) -> None:
    wrong = None
    if fractions is None and cuts is None:
        wrong = "neither fractions nor cuts say how large the splits are"
    elif cuts is not None and (fractions is not None or chronological is None):
        wrong = "cuts are for a chronological split, and take the place of fractions"
    elif chronological is not None and by is not None:
        wrong = "a split goes by time or by id, group or content"
    elif chronological is not None and chronological not in TIMES:
        wrong = f"there is no time in {chronological!r}; known: {', '.join(TIMES)}"
    elif bad := [name for name in (fractions or cuts or {}) if not NAME.fullmatch(name)]:
        wrong = f"{bad[0]!r} cannot be the name of a split"
    if wrong:
        raise UsageError(
            "SR-DATA-032",
            f"this split cannot be made: {wrong}",
            do="samerun data split MANIFEST --fractions train=0.8,test=0.2",
        )
    if fractions is not None:
        check_fractions(fractions)


def _by_unit(entries: Sequence[Entry], fractions: Mapping[str, float], key: str, by: By) -> list[Entry]:
    def unit(entry: Entry) -> Id:
        if by == "content":
            return entry.sha256
        # A group and an id of one name are two things.
        return f"group:{entry.group}" if by == "group" and entry.group is not None else entry.id

    units = {entry.id: unit(entry) for entry in entries}
    placed = split(units, fractions, key, lambda name: units[str(name)])
    where = {name: place for place, members in placed.items() for name in members}
    return [entry._replace(split=where[entry.id]) for entry in entries]


def _by_time(
    entries: Sequence[Entry], fractions: Mapping[str, float], cuts: Mapping[str, str | None] | None, field: str
) -> tuple[list[Entry], dict[str, Any]]:
    times = {entry.id: getattr(entry, field) for entry in entries}
    without = [name for name, time in times.items() if time is None]
    if without:
        raise UsageError(
            "SR-DATA-032",
            f"this split cannot be made: {len(without)} of {len(times)} entries have no {field}",
            evidence=without[:5],
            do="samerun data manifest PATH --time RULE -o MANIFEST",
        )
    chosen = dict(cuts) if cuts is not None else choose_cuts(list(times.values()), fractions)
    order = check_cuts(chosen)
    placed = [entry._replace(split=place_of(times[entry.id], chosen, order)) for entry in entries]
    return placed, {"by": f"time of {field}", "cuts": chosen}


def _refuse_parted(entries: Sequence[Entry]) -> None:
    places: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        if entry.group is not None and entry.split is not None:
            places[entry.group].add(entry.split)
    parted = {group: sorted(found) for group, found in places.items() if len(found) > 1}
    if parted:
        raise RefusedError(
            "SR-DATA-034",
            f"{len(parted)} of {len(places)} groups would stand in more than one split",
            evidence=[f"{group}: {', '.join(found)}" for group, found in sorted(parted.items())[:5]],
            do="leave --by out, choose times that part no group, or make the manifest without --group",
        )
