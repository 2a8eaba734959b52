"""The runtime guard: draws that a second run would not repeat, caught where they are made.

It knows where the run stands (the run tells it) and what was called (guarded.py tells it), and decides whether that is
a finding. A draw in a step's body is a function of (seed, step) and never one. It moves no number and no generator.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from samerun.streams import ambient, guarded_torch
from samerun.streams.callsite import Site, find_site
from samerun.streams.entropy import Entropy
from samerun.streams.finding import Findings, Kind, Mode

Library = Literal["python", "numpy", "torch"]
OUTSIDE, SETUP, STEP, BETWEEN = "outside the run", "in the setup", "in a step", "between steps"


@dataclass(frozen=True)
class _Place:
    """Where the run stands. A covered place has global generators that are functions of (seed, name)."""

    name: str
    is_covered: bool
    step: int | None = None


class Guard:
    """Findings of one process, by call site. `is_covered` and `thread` are read at each draw."""

    def __init__(self, mode: Mode, root: Path) -> None:
        self.root = root.resolve()
        self.findings = Findings(mode)
        self.is_covered = False
        self.thread = threading.get_ident()
        self.entropy = Entropy()
        self._pid = os.getpid()
        """Workers forked from this process draw by their own rules."""
        self._place = _Place(OUTSIDE, is_covered=False)
        self._seeded: set[Library] = {"torch"}
        """Global generators that repeat before the run begins; torch starts its own with a constant."""
        self.captured: set[int] = set()
        """Hashes of states that somebody took in this step, to put them back later."""
        self._watch = _Watch()

    @property
    def is_outside(self) -> bool:
        """Whether no run is under way."""
        return self._place.name == OUTSIDE

    @property
    def is_between(self) -> bool:
        """Whether control is the user's with no step under way."""
        return self._place.name == BETWEEN

    # -- what the run tells --------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Note that a run begins: from here to the first step the generators are its own.

        Of what moved unseen before, Python's generator tells nothing: packages draw from it while they are imported.
        """
        self._stand(_Place(SETUP, is_covered=True))
        if "numpy" not in self._seeded:
            self._look_back("before the run began", {"numpy"}, self._watch)

    def cover(self, step: int) -> None:
        """Note that a step begins."""
        was_between = self.is_between
        self._stand(_Place(STEP, is_covered=True, step=step))
        if was_between:
            self._look_back(f"between steps, before step {step}", {"python", "numpy", "torch"}, self._watch)

    def rest(self, step: int) -> None:
        """Note that control goes to the user with no step under way; `step` are complete."""
        self._stand(_Place(BETWEEN, is_covered=False, step=step))
        self._watch = _Watch()
        guarded_torch.watch_between(self)

    def end(self) -> None:
        """Note that the run has ended."""
        was_between = self.is_between
        self._stand(_Place(OUTSIDE, is_covered=False))
        watch, self._watch = self._watch, _Watch()
        if was_between:
            self._look_back("after the last step", {"python", "numpy", "torch"}, watch)

    def leave(self) -> None:
        """Note that the generators are back where they were before the run."""
        self._watch = _Watch()

    # -- what generators tell ------------------------------------------------------------------------------------------

    def drew(self, what: str, library: Library) -> None:
        """Note a draw from a global generator that may be no function of (seed, step)."""
        if os.getpid() != self._pid:
            return
        is_elsewhere = _is_other_thread(self.thread)
        self._watch.seen.add(library)
        if not is_elsewhere and (self._place.is_covered or ambient.is_in_scope()):
            return
        is_before = self._place.name == OUTSIDE
        if is_before and library in self._seeded:
            return
        site = find_site(self.root)
        if site is not None and (site.is_project or not is_before):
            self._add("thread" if is_elsewhere and not is_before else "draw", what, site)

    def seeds(self, what: str, library: Library, seed: object) -> None:
        """Note that a global generator is seeded; `None` asks the operating system."""
        site = self.site()
        if site is None:
            return
        self._watch.seen.add(library)
        if seed is None:
            self._add_unrepeatable("unseeded", what, site)
        elif source := self.entropy.source_of(seed):
            self._add_unrepeatable("entropy", f"{what} with a number from {source}", site)
        else:
            self._seeded_by_hand(what, library, site)

    def made(self, what: str, seed: object) -> None:
        """Note that a generator of the user's own is made or seeded; `None` asks the operating system."""
        if os.getpid() != self._pid:
            return
        source = None if seed is None else self.entropy.source_of(seed)
        if seed is not None and source is None:
            return
        site = find_site(self.root)
        if site is None:
            return
        if source is None:
            self._add_unrepeatable("unseeded", what, site)
        else:
            self._add_unrepeatable("entropy", f"{what} with a number from {source}", site)

    def puts(self, what: str, library: Library, state: int) -> None:
        """Note that somebody sets a generator's state: fine where it was taken in this step, else a seeding."""
        if state in self.captured:
            self._watch.seen.add(library)
        elif site := self.site():
            self._watch.seen.add(library)
            self._seeded_by_hand(what, library, site)

    def site(self) -> Site | None:
        """Return where the call under way came from, if that is anybody's business here."""
        return find_site(self.root) if os.getpid() == self._pid else None

    # -- deciding ------------------------------------------------------------------------------------------------------

    def _seeded_by_hand(self, what: str, library: Library, site: Site) -> None:
        if self._place.name == OUTSIDE:
            self._seeded.add(library)
        elif not ambient.is_in_scope():
            self._add("seed", what, site)

    def _add_unrepeatable(self, kind: Kind, what: str, site: Site) -> None:
        # What a package does before the run begins is not training.
        if site.is_project or self._place.name != OUTSIDE:
            self._add(kind, what, site)

    def _add(self, kind: Kind, what: str, site: Site | None, place: str | None = None) -> None:
        self.findings.add(kind, what, site, place or self._place.name, self._place.step)

    def _stand(self, place: _Place) -> None:
        if self.is_between:
            guarded_torch.unwatch()
        self.thread = threading.get_ident()
        self._place, self.is_covered = place, place.is_covered
        if self.captured:
            self.captured.clear()

    def _look_back(self, where: str, libraries: set[Library], watch: _Watch) -> None:
        """Find generators that moved without a call that was seen: through a name that was bound early, or from C."""
        for library in sorted(watch.moved() & libraries):
            self._add("draw", f"the global generator of {library}", None, where)


def _is_other_thread(thread: int) -> bool:
    # Threads that Python did not start are torch's: a backward pass that computes a part of the forward again.
    return threading.get_ident() != thread and not isinstance(threading.current_thread(), threading._DummyThread)


class _Watch:
    """Where the global generators stood when control went to the user, and which calls of them were seen since."""

    def __init__(self) -> None:
        self.seen: set[Library] = set()
        self._states = ambient.capture()

    def moved(self) -> set[Library]:
        """Return the libraries whose global generator stands elsewhere now, and no call of which was seen."""
        found = ambient.moved(self._states, ambient.capture())
        moved: set[Library] = {"torch" if name == "cuda" else name for name in found}
        return moved - self.seen
