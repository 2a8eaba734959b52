"""A data set against its manifest: what is missing, extra, altered or moved, and what it holds more than once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from samerun.data.diff import Differences, diff
from samerun.data.duplicates import Duplicates, exact_duplicates, refuse_duplicates
from samerun.data.entry import Entry, LeftOut
from samerun.data.manifest import Manifest, Report, again, refuse_left_out
from samerun.data.near import near_duplicates
from samerun.data.reading import Reporting
from samerun.data.scan import scan
from samerun.data.table_items import item_texts

Wanted = Literal["exact", "near"]


@dataclass(frozen=True)
class Checked:
    """The answer."""

    differences: Differences
    left_out: tuple[LeftOut, ...]
    """What lies there and cannot be compared."""
    duplicates: Duplicates | None
    report: Report

    @property
    def is_same(self) -> bool:
        """Whether the data is what the manifest says."""
        return not self.differences

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values, `verdict` first."""
        return {
            "verdict": "same" if self.is_same else "different",
            "counts": self.differences.counts(),
            "differences": self.differences.as_json(),
            "left_out": [one.as_json() for one in self.left_out],
            "duplicates": None if self.duplicates is None else self.duplicates.as_json(),
        }


def check(
    manifest: Manifest,
    path: str | Path,
    *,
    duplicates: Wanted | None = None,
    strict: bool = False,
    jobs: int | None = None,
    cache: bool = True,
    recheck: bool = False,
    reporting: Reporting | None = None,
) -> Checked:
    """Compare what lies at `path` with a manifest of it.

    `duplicates` looks for contents that are there more than once ("exact"), or nearly so ("near"), within and across
    the splits that the manifest holds; `strict` refuses them (RefusedError SR-DATA-030), and what cannot be recorded
    (SR-DATA-022). Raises what `samerun.data.manifest.manifest` does.
    """
    now = again(manifest, path, jobs=jobs, cache=cache, recheck=recheck, reporting=reporting or Reporting())
    known = {entry.id: entry.split for entry in manifest.entries}
    placed = [entry._replace(split=known.get(entry.id)) for entry in now.entries]
    found = None if duplicates is None else find_duplicates(now, placed, Path(path), duplicates)
    if strict:
        refuse_left_out(now.left_out)
        if found is not None:
            refuse_duplicates(found)
    return Checked(diff(manifest, now), now.left_out, found, now.report)


def find_duplicates(manifest: Manifest, entries: list[Entry], path: Path | None, wanted: Wanted) -> Duplicates:
    """Return what `entries` hold more than once; for near ones their contents are read from `path`."""
    exact = exact_duplicates(entries)
    if wanted == "exact" or path is None:
        return Duplicates(exact)
    near, not_looked_at = near_duplicates(entries, _contents(manifest, path))
    return Duplicates(exact, near, not_looked_at)


def _contents(manifest: Manifest, path: Path) -> Callable[[Entry], bytes | str | None]:
    if manifest.kind == "items":
        texts = item_texts(path, manifest.rules)
        return lambda entry: texts.get(entry.id)
    places = {file.id: Path(file.path) for file in scan(path, follow_links="links" in manifest.rules).files}
    return lambda entry: _bytes_of(places.get(entry.id))


def _bytes_of(place: Path | None) -> bytes | None:
    """Read a file that a manifest names; None where it is gone, or cannot be read."""
    try:
        return None if place is None else place.read_bytes()
    except OSError:
        return None
