"""One finding of the runtime guard, as an event's facts and as a refusal. Which calls are findings: guard.py."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from samerun.errors import RefusedError
from samerun.streams.callsite import Site

Mode = Literal["raise", "record"]
Kind = Literal["draw", "thread", "seed", "unseeded", "entropy"]

CODES: Final[Mapping[Kind, str]] = {
    "draw": "SR-GUARD-001",
    "thread": "SR-GUARD-002",
    "seed": "SR-GUARD-003",
    "unseeded": "SR-GUARD-004",
    "entropy": "SR-GUARD-005",
}
_WHAT: Final[Mapping[Kind, str]] = {
    "draw": "{what}: a draw {place}, which a second run or a resume would not repeat",
    "thread": "{what}: a draw in the thread {thread}, at a moment that nobody decides",
    "seed": "{what}: a global generator is set {place}; the run's seed no longer decides what follows",
    "unseeded": "{what}: seeded by the operating system, so no second run gets its numbers",
    "entropy": "{what}: no second run gets this seed",
}
_DO: Final[Mapping[Kind, str]] = {
    "draw": "draw inside the step, inside `with run.scope(name):`, or from run.stream(name)",
    "thread": "give the thread a generator of its own: run.stream(name).numpy(), .torch() or .python()",
    "seed": "leave the seeding out (seed= of samerun.start decides), or put it into `with run.scope(name):`",
    "unseeded": "take run.stream(name).numpy(), .torch() or .python(), or pass a seed that the config holds",
    "entropy": "take run.stream(name), or a seed that the config holds",
}


@dataclass
class Finding:
    """One call site and what it did there; `step` is the first, None outside any."""

    kind: Kind
    what: str
    site: Site | None
    place: str
    step: int | None
    thread: str
    count: int = 0

    def where(self) -> str:
        """Say the call site, or that none is known."""
        return "somewhere " + self.place if self.site is None else str(self.site)

    def facts(self) -> dict[str, Any]:
        """Return what an event row holds."""
        site = self.site
        return {
            "finding": self.kind,
            "code": CODES[self.kind],
            "what": self.what,
            "file": None if site is None else site.file,
            "line": None if site is None else site.line,
            "function": None if site is None else site.function,
            "through": None if site is None else site.through,
            "place": self.place,
            "thread": self.thread,
            "count": self.count,
        }


class Findings:
    """Findings by call site. A second one at the same site is counted; where the guard raises, each is an error."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self.failure: RefusedError | None = None
        """The first refusal, for a loop whose user code swallowed it, or that was made in another thread."""
        self._found: dict[tuple[Kind, str, Site | None], Finding] = {}
        self._lock = threading.Lock()

    def add(self, kind: Kind, what: str, site: Site | None, place: str, step: int | None) -> None:
        """Count a finding. Raises RefusedError where the guard raises."""
        with self._lock:
            key = (kind, what, site)
            found = self._found.setdefault(key, Finding(kind, what, site, place, step, threading.current_thread().name))
            found.count += 1
        if self.mode == "raise":
            error = refusal(found)
            self.failure = self.failure or error
            raise error

    def take(self) -> list[Finding]:
        """Return the findings so far, in the order of their first occurrence, and forget them."""
        with self._lock:
            found, self._found = list(self._found.values()), {}
        return found

    def check(self) -> None:
        """Raise the refusal that nobody has acted on."""
        if self.failure is not None:
            raise self.failure


def refusal(found: Finding) -> RefusedError:
    """Return the error that stops the run at this finding."""
    at = found.place if found.step is None else f"{found.place} (step {found.step})"
    return RefusedError(
        CODES[found.kind],
        _WHAT[found.kind].format(what=found.what, place=found.place, thread=found.thread),
        evidence=[f"at: {found.where()}", f"when: {at}", f"thread: {found.thread}"],
        do=f"{_DO[found.kind]}; --guard record only notes it",
    )
