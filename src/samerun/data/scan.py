"""What lies in a folder of data: each file once under an id that every machine gives it, and what was left out, why.

Ids are NFC with forward slashes and sort by code point, whatever the order, the file system or the form of a name.
Links are followed inside the folder; those that lead out of it only where that is asked for. Hidden files count.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple
from unicodedata import normalize

from samerun.config.problems import printable
from samerun.data.entry import NOT_UTF8, LeftOut
from samerun.errors import MissingError, RefusedError

WAYS: Final = 16
"""How often one folder is entered by links: more is a maze of them."""
_CIRCLE: Final = "a link in a circle"


class Found(NamedTuple):
    """One regular file, as it was when the folder was listed."""

    id: str
    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


Place = tuple[int, int]
"""Device and inode of a folder."""


@dataclass
class Listing:
    """The files of a folder, sorted by id."""

    root: str
    """The folder, or the one that holds the only file: absolute, without links."""
    files: list[Found] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def scan(path: Path, *, follow_links: bool = False) -> Listing:
    """List the files of a folder; a file lists itself.

    Raises MissingError SR-DATA-015 for a path that is no folder and no file, RefusedError SR-DATA-021 for names that
    differ in their Unicode form alone.
    """
    root = os.path.realpath(path)
    if os.path.isfile(root):
        walk = _Walk(os.path.dirname(root), follow_links=True)
        # A file is called what it was asked for as, also where that is a link.
        if (called := walk.called(path.name, "")) is not None:
            walk.add_link(os.path.abspath(path), called, (), called)
    elif os.path.isdir(root):
        walk = _Walk(root, follow_links=follow_links)
        walk.enter(root, "", ())
    else:
        raise MissingError(
            "SR-DATA-015",
            f"there is no data at {printable(path.as_posix())}",
            evidence=[f"looked for: {printable(path.absolute().as_posix())}"],
            do="check the path; it is relative to the working folder",
        )
    listing = walk.listing
    listing.files.sort(key=itemgetter(0))
    listing.left_out.sort()
    _refuse_twins(listing)
    return listing


def only(path: Path) -> Listing:
    """List one regular file, whatever its name. Raises OSError where it is none."""
    real = os.path.realpath(path)
    return Listing(os.path.dirname(real), [Found(printable(path.name), real, *_facts(os.stat(real)))])


class _Walk:
    def __init__(self, root: str, *, follow_links: bool) -> None:
        self.listing = Listing(root)
        self._inside = f"{root.rstrip('/')}/"
        self._follows = follow_links
        self._ways: Counter[Place] = Counter()

    def enter(self, folder: str, prefix: str, above: tuple[Place, ...]) -> None:
        """List a folder whose files are called `prefix` and their names; `above` are the folders that it lies in."""
        try:
            opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            self._leave_out(prefix.rstrip("/"), f"it cannot be read: {error.strerror}")
            return
        folders: list[str] = []
        links: list[str] = []
        try:
            facts = os.fstat(opened)
            place = facts.st_dev, facts.st_ino
            if place in above:
                self._leave_out(prefix.rstrip("/"), _CIRCLE)
                return
            chain = (*above, place)
            self._list(opened, folder, prefix, folders, links)
        finally:
            os.close(opened)
        for name in folders:
            if (called := self.called(name, prefix)) is not None:
                self.enter(f"{folder}/{name}", f"{called}/", chain)
        for name in links:
            if (called := self.called(name, prefix)) is not None:
                self.add_link(f"{folder}/{name}", called, chain, f"{prefix}{name}")

    def _list(self, opened: int, folder: str, prefix: str, folders: list[str], links: list[str]) -> None:
        """Add the regular files of one open folder; its folders and links are for later."""
        add, new = self.listing.files.append, tuple.__new__
        with os.scandir(opened) as entries:
            for entry in entries:
                name = entry.name
                if not entry.is_file(follow_symlinks=False):
                    self._put(entry, prefix, folders, links)
                elif (called := f"{prefix}{name}" if name.isascii() else self.called(name, prefix)) is not None:
                    try:
                        facts = entry.stat(follow_symlinks=False)
                    except OSError as error:
                        self._leave_out(called, f"it cannot be read: {error.strerror}")
                        continue
                    size, mtime, ctime = facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns
                    # Not Found(...): this line is run for each of a million files.
                    add(new(Found, (called, f"{folder}/{name}", size, mtime, ctime, facts.st_ino)))

    def _put(self, entry: os.DirEntry[str], prefix: str, folders: list[str], links: list[str]) -> None:
        if entry.is_symlink():
            links.append(entry.name)
        elif entry.is_dir(follow_symlinks=False):
            folders.append(entry.name)
        else:
            self._leave_out(f"{prefix}{entry.name}", "no regular file")

    def add_link(self, path: str, called: str, above: tuple[Place, ...], shown: str) -> None:
        """Add what a link (or the one file that was asked for) leads to."""
        try:
            target = os.path.realpath(path, strict=True)
            facts = os.stat(target)
        except OSError as error:
            is_circle = error.errno == errno.ELOOP
            self._leave_out(shown, _CIRCLE if is_circle else f"a link to nothing: {error.strerror}")
            return
        place = (facts.st_dev, facts.st_ino)
        if not self._follows and not target.startswith(self._inside) and place not in above:
            self._leave_out(shown, "a link out of the folder")
        elif stat.S_ISREG(facts.st_mode):
            self.listing.files.append(Found(called, path, *_facts(facts)))
        elif not stat.S_ISDIR(facts.st_mode):
            self._leave_out(shown, "no regular file")
        elif place in above:
            self._leave_out(shown, _CIRCLE)
        elif self._ways[place] >= WAYS:
            self._leave_out(shown, f"a link to a folder that {WAYS} others lead to")
        else:
            self._ways[place] += 1
            self.enter(path, f"{called}/", above)

    def called(self, name: str, prefix: str) -> str | None:
        """Return the id of a name, None where it has none."""
        if name.isascii():
            return f"{prefix}{name}"
        try:
            name.encode()
        except UnicodeEncodeError:
            self._leave_out(f"{prefix}{name}", NOT_UTF8)
            return None
        return f"{prefix}{normalize('NFC', name)}"

    def _leave_out(self, name: str, reason: str) -> None:
        self.listing.left_out.append(LeftOut(printable(name) or ".", reason))


def _facts(facts: os.stat_result) -> tuple[int, int, int, int]:
    return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino


def _refuse_twins(listing: Listing) -> None:
    twins = [(one, other) for one, other in pairwise(listing.files) if one.id == other.id]
    if twins:
        raise RefusedError(
            "SR-DATA-021",
            f"{len(twins)} names stand twice once they have one Unicode form",
            evidence=[f"{_spelled(one.path)} and {_spelled(other.path)}" for one, other in twins[:5]],
            do="rename one of the two: other file systems take them for one file",
        )


def _spelled(path: str) -> str:
    return ascii(os.path.basename(path))
