"""From a listing to digests: what the cache knows is taken from it, the rest is read, and new digests go to the cache.

A few of the known ones are read all the same; where one is wrong, the whole cache is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from samerun.base import clock
from samerun.base.text import plural
from samerun.data.entry import CHANGED, LeftOut
from samerun.data.hash_cache import HashCache
from samerun.data.hashing import BLOCK_BYTES, Hashed, default_jobs, hash_file, hash_files
from samerun.data.scan import Found, Listing
from samerun.errors import UsageError

BATCH_FILES: Final = 512
BATCH_BYTES: Final = 256 << 20
"""How much is read until its digests are written to the cache."""
SAMPLE: Final = 4
SAMPLE_BYTES: Final = 1 << 20
"""How many known files are read all the same, none of them larger than this."""


@dataclass(frozen=True)
class Progress:
    """How far the reading is."""

    files: int
    of_files: int
    size_bytes: int
    of_bytes: int


@dataclass(frozen=True)
class Reporting:
    """Who is told what happens while files are read."""

    say: Callable[[str], None] = lambda text: None
    progress: Callable[[Progress], None] = lambda progress: None


@dataclass(frozen=True)
class Report:
    """What reading took."""

    files_read: int = 0
    bytes_read: int = 0
    files_known: int = 0
    """Files whose digest was taken from the cache."""


@dataclass(frozen=True)
class Read:
    """The digests of a listing, in its order, and what has none."""

    digests: list[tuple[Found, str]]
    left_out: list[LeftOut]
    report: Report


def read_files(listing: Listing, jobs: int | None, cache: Path | None, *, recheck: bool, reporting: Reporting) -> Read:
    """Return the hex digest of every file of a listing.

    `jobs` files are read at a time (None: one for each processor). With `recheck` all are read, and where the cache
    says otherwise of one it is dropped. Raises UsageError SR-DATA-024 for jobs below 1.
    """
    if jobs is not None and jobs < 1:
        raise UsageError("SR-DATA-024", f"--jobs {jobs}: at least one file is read at a time", do="--jobs 1")
    known = HashCache.open(cache, listing.root)
    reading = _Reading(listing, known, jobs or default_jobs(), reporting)
    reading.read_all() if recheck else reading.read_unknown()
    for note in known.notes:
        reporting.say(note)
    return reading.result()


def unknown_files(listing: Listing, cache: Path | None) -> list[Found]:
    """Return the files of a listing that would be read."""
    known = HashCache.open(cache, listing.root)
    digests = known.digests_of(listing.files)
    return [file for file, digest in zip(listing.files, digests, strict=True) if digest is None]


@dataclass
class _Reading:
    listing: Listing
    cache: HashCache
    jobs: int
    reporting: Reporting
    found: dict[str, Hashed] = field(default_factory=dict)
    """What was read, by id."""
    taken: list[str | None] = field(default_factory=list)
    """What the cache says, in the order of the listing."""
    waiting: list[int] = field(default_factory=lambda: [0, 0])
    """Files and bytes that were read since the last batch went to the cache."""
    num_read: int = 0
    bytes_read: int = 0

    def read_unknown(self) -> None:
        files = self.listing.files
        self.taken = self.cache.digests_of(files)
        known = [place for place, digest in enumerate(self.taken) if digest is not None]
        if self._is_wrong(known):
            self.taken = [None] * len(files)
        self._read([file for file, digest in zip(files, self.taken, strict=True) if digest is None])

    def read_all(self) -> None:
        files = self.listing.files
        known = self.cache.digests_of(files)
        self.taken = [None] * len(files)
        self._read(files)
        wrong = [
            file.id
            for file, before in zip(files, known, strict=True)
            if before is not None and self.found[file.id].digest not in (None, before)
        ]
        if wrong:
            self._drop(wrong)

    def result(self) -> Read:
        if not self.found:
            whole = [(file, str(digest)) for file, digest in zip(self.listing.files, self.taken, strict=True)]
            return Read(whole, [], Report(files_known=len(whole)))
        digests: list[tuple[Found, str]] = []
        left_out: list[LeftOut] = []
        for file, digest in zip(self.listing.files, self.taken, strict=True):
            if digest is not None:
                digests.append((file, digest))
                continue
            one = self.found[file.id]
            if one.digest is None:
                left_out.append(LeftOut(file.id, one.problem or CHANGED))
            else:
                digests.append((one.file, one.digest))
        num_known = sum(digest is not None for digest in self.taken)
        return Read(digests, left_out, Report(self.num_read, self.bytes_read, num_known))

    def _is_wrong(self, known: Sequence[int]) -> bool:
        """Read a few of the files that the cache knows; where it is wrong about one, drop it."""
        small = [place for place in known if self.listing.files[place].size <= SAMPLE_BYTES]
        if not small:
            return False
        # Others each time, so that what is wrong is found sooner or later; no result depends on which.
        begin = int(clock.wall() * 1000)
        chosen = {small[(begin + number * len(small) // SAMPLE) % len(small)] for number in range(SAMPLE)}
        buffer = bytearray(BLOCK_BYTES)
        wrong = []
        for place in sorted(chosen):
            file = self.listing.files[place]
            one = hash_file(file, buffer)
            if one.digest is not None and one.file == file and one.digest != self.taken[place]:
                wrong.append(file.id)
        if wrong:
            self._drop(wrong)
        return bool(wrong)

    def _drop(self, wrong: Sequence[str]) -> None:
        self.cache.drop(f"the cache of file digests was wrong about {plural(len(wrong), 'file')}: it is dropped")

    def _read(self, files: Sequence[Found]) -> None:
        """Read files, then read once more those that had changed so shortly before that time stamps say nothing."""
        totals = len(files), sum(file.size for file in files)

        def done(chunk: Sequence[Hashed]) -> None:
            self._note(chunk)
            self.reporting.progress(Progress(self.num_read, totals[0], self.bytes_read, totals[1]))

        try:
            hash_files(files, self.jobs, done)
            self._read_young()
        finally:
            self.cache.flush()
        self._settle()

    def _settle(self) -> None:
        """Write down the whole listing, unless a file of it may change again without showing it."""
        files = [one.file if (one := self.found.get(file.id)) else file for file in self.listing.files]
        is_old = not any(one.is_young for one in self.found.values())
        self.cache.settle(files, self._digests() if is_old else ())

    def _digests(self) -> list[str | None]:
        return [
            digest if digest is not None else self.found[file.id].digest
            for file, digest in zip(self.listing.files, self.taken, strict=True)
        ]

    def _note(self, chunk: Sequence[Hashed]) -> None:
        for one in chunk:
            self.found[one.file.id] = one
            if one.digest is not None and not one.is_young:
                self.cache.add(one.file, one.digest)
            self.num_read += 1
            self.bytes_read += one.file.size
            self.waiting[0] += 1
            self.waiting[1] += one.file.size
        if self.waiting[0] >= BATCH_FILES or self.waiting[1] >= BATCH_BYTES:
            self.cache.flush()
            self.waiting = [0, 0]

    def _read_young(self) -> None:
        first = {name: one for name, one in self.found.items() if one.is_young}

        def compare(chunk: Sequence[Hashed]) -> None:
            for one in chunk:
                before = first[one.file.id]
                if one.digest is not None and (one.digest != before.digest or one.file != before.file):
                    one = Hashed(one.file, None, CHANGED)
                self.found[one.file.id] = one

        if first:
            hash_files([one.file for one in first.values()], self.jobs, compare)
