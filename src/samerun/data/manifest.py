"""The content manifest of a data set: one entry a file of a folder, or a row of a table, and one digest over all.

The digest follows what is there and how it is named within the data set, never where it lies, in which order it is
listed or when it was written. Files of manifests are read and written by manifest_file.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from samerun.base.cache import cache_folder
from samerun.base.text import plural
from samerun.data.entry import UNFIXED, Entry, LeftOut, manifest_digest
from samerun.data.reading import Report as Report
from samerun.data.reading import Reporting, read_files, unknown_files
from samerun.data.rules import CONTENT, NAMES, file_rule, given
from samerun.data.scan import only, scan
from samerun.data.table_items import table_entries
from samerun.errors import NoMatchError, RefusedError, UsageError

Kind = Literal["files", "items"]
QUIET: Final = Reporting()


@dataclass(frozen=True)
class Manifest:
    """Entries sorted by id, and how they were made."""

    entries: tuple[Entry, ...]
    left_out: tuple[LeftOut, ...] = ()
    kind: Kind = "files"
    """Whether an entry is a file of a folder or a row of a table."""
    rules: Mapping[str, str] = field(default_factory=dict)
    """The rules for label, group, time, and the id of an item."""
    split: Mapping[str, Any] = field(default_factory=dict)
    """How the entries were split, where they were."""
    report: Report = field(default_factory=Report, compare=False)
    """What making it took; no part of it."""

    @cached_property
    def digest(self) -> str:
        """`sha256:...` over ids, sizes and contents."""
        return manifest_digest(self.entries)

    @property
    def size_bytes(self) -> int:
        """Bytes of all entries together."""
        return sum(entry.size for entry in self.entries)


def manifest(
    path: str | Path,
    *,
    items: bool = False,
    item_id: str | None = None,
    label: str | None = None,
    group: str | None = None,
    time: str | None = None,
    follow_links: bool = False,
    strict: bool = False,
    jobs: int | None = None,
    cache: bool = True,
    recheck: bool = False,
    reporting: Reporting = QUIET,
) -> Manifest:
    """Return the manifest of a folder, a file, or (`items`) of the rows of a .csv, .jsonl or .parquet file.

    `label`, `group` and `time` are rules for files (rules.py) and names of columns for items; `item_id` is the column
    that names an item, else its content does. Files that were read before and are unchanged are not read again, unless
    `cache` is false; `recheck` reads them all the same and compares. What has no entry is in `left_out`; `strict`
    refuses it (RefusedError SR-DATA-022). Raises MissingError SR-DATA-015, NoMatchError SR-DATA-023 for no entry.
    """
    rules = given({"label": label, "group": group, "time": time})
    place = Path(path)
    if items:
        found = _of_table(place, {"id": item_id or CONTENT, **rules})
    elif item_id is not None:
        raise UsageError(
            "SR-DATA-020",
            "--id names a column, and files have none",
            do="samerun data manifest TABLE --items --id COLUMN",
        )
    else:
        found = _of_files(place, rules, follow_links, jobs, reporting, cache_folder() if cache else None, recheck)
    if strict:
        refuse_left_out(found.left_out)
    if not found.entries:
        raise _empty(place, found)
    return found


def again(old: Manifest, path: str | Path, **options: Any) -> Manifest:
    """Return the manifest of what lies at `path` now, by the rules of another one; options as of `manifest`."""
    options |= {name: old.rules.get(name) for name in NAMES}
    if old.kind == "items":
        column = old.rules.get("id", CONTENT)
        return manifest(path, items=True, item_id=None if column == CONTENT else column, **options)
    return manifest(path, follow_links="links" in old.rules, **options)


@dataclass(frozen=True)
class Planned:
    """How much a manifest would read."""

    files: int
    size_bytes: int
    files_to_read: int
    bytes_to_read: int
    left_out: tuple[LeftOut, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {**vars(self), "left_out": [one.as_json() for one in self.left_out]}


def planned(path: Path, *, follow_links: bool = False, cache: bool = True) -> Planned:
    """Say how much the manifest of a folder would read, and read nothing. Raises what `scan` does."""
    listing = scan(path, follow_links=follow_links)
    unread = unknown_files(listing, cache_folder() if cache else None)
    sizes = [sum(file.size for file in files) for files in (listing.files, unread)]
    return Planned(len(listing.files), sizes[0], len(unread), sizes[1], tuple(listing.left_out))


def pinned_manifest(path: Path) -> Manifest:
    """Return the manifest of a folder as a program reads it: links are followed wherever they lead.

    What nobody can read is left out. Raises RefusedError SR-DATA-022 for what can be read and not be pinned: a name
    that is not UTF-8, a file that changes.
    """
    found = manifest(path, follow_links=True)
    refuse_left_out([one for one in found.left_out if one.reason in UNFIXED])
    return found


def pinned_digest(path: Path) -> str:
    """Return the digest of the one file at `path`, whatever its name. Raises RefusedError SR-DATA-022."""
    read = read_files(only(path), None, cache_folder(), recheck=False, reporting=QUIET)
    refuse_left_out(read.left_out)
    return f"sha256:{read.digests[0][1]}"


def _of_files(
    path: Path,
    rules: Mapping[str, str],
    follow_links: bool,
    jobs: int | None,
    reporting: Reporting,
    cache: Path | None,
    recheck: bool,
) -> Manifest:
    made = [file_rule(rules[name], name) if name in rules else None for name in NAMES]
    listing = scan(path, follow_links=follow_links)
    read = read_files(listing, jobs, cache, recheck=recheck, reporting=reporting)
    new = tuple.__new__
    entries = [
        # Not Entry(...): there may be a million.
        new(Entry, (file[0], file[2], f"sha256:{digest}", None, None, None, None))
        for file, digest in read.digests
    ]
    if rules:
        entries = [Entry(*entry[:3], *(rule and rule(entry.id) for rule in made)) for entry in entries]
    kept = {**rules, "links": "followed"} if follow_links else dict(rules)
    return Manifest(
        tuple(entries), tuple(sorted([*listing.left_out, *read.left_out])), "files", kept, report=read.report
    )


def _of_table(path: Path, rules: Mapping[str, str]) -> Manifest:
    return Manifest(tuple(table_entries(path, rules)), kind="items", rules=dict(rules))


def refuse_left_out(left_out: Sequence[LeftOut]) -> None:
    """Refuse (SR-DATA-022) a data set of which something cannot be recorded."""
    if left_out:
        raise RefusedError(
            "SR-DATA-022",
            f"{plural(len(left_out), 'name')} of the data set cannot be recorded",
            evidence=_named(left_out),
            do="repair, rename or remove them; without --strict they are left out and listed",
        )


def _named(left_out: Sequence[LeftOut]) -> list[str]:
    more = [f"and {len(left_out) - 10} more"] if len(left_out) > 10 else []
    return [*(f"{one.id}: {one.reason}" for one in left_out[:10]), *more]


def _empty(path: Path, found: Manifest) -> NoMatchError:
    what = "row" if found.kind == "items" else "file"
    return NoMatchError(
        "SR-DATA-023",
        f"{path.name or path.as_posix()} holds no {what} to record: a data set of zero items",
        evidence=_named(found.left_out),
        do=f"name data that holds at least one {what}",
    )
