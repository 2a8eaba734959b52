"""Exit codes and the one error tree: every refusal has a code, what happened, the evidence and what to do.

What a code means in general stands in `error_codes/*.toml`, one file per room; `samerun explain CODE` prints it
offline. Tracebacks are for bugs: only exit 70 shows one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Any, ClassVar


class ExitCode(IntEnum):
    """What a `samerun` process ends with: 1 is an answer, above 1 is trouble."""

    DONE = 0
    """Done; the answer is yes."""
    DIFFERENT = 1
    """The answer is no: different, or not verified."""
    USAGE = 2
    """Wrong usage or a wrong config."""
    REFUSED = 3
    """Refused by policy: the identity moved, a dirty tree, a weaker tier."""
    MISSING = 4
    """Missing or unsupported: an extra, a device, room on the disk."""
    NO_MATCH = 5
    """Nothing matched."""
    DAMAGED = 6
    """A record is damaged."""
    LOCKED = 7
    """The run is locked by a live process."""
    INTERNAL = 70
    """A bug of samerun."""
    STOPPED = 75
    """Stopped at a step boundary; can be resumed."""
    ABORTED = 130
    """Ended at once by a second signal."""


class SamerunError(Exception):
    """A refusal in four parts; `str()` is the text a person reads, `as_json()` the same for scripts.

    `evidence` holds one line for each fact: both values, and the file and line or the layer of each.
    `do` is the next step, a command where there is one.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL
    shows_traceback: ClassVar[bool] = False
    """Whether the command line prints where it was raised, also without -vv."""

    def __init__(self, code: str, what: str, *, evidence: Sequence[str] = (), do: str) -> None:
        super().__init__(code, what)
        self.code = code
        self.what = what
        self.evidence = tuple(evidence)
        self.do = do

    def __str__(self) -> str:
        return "\n".join([f"{self.code}: {self.what}", *(f"  {line}" for line in self.evidence), f"do: {self.do}"])

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker process hands its error to the parent: the four parts must survive the trip.
        return (_rebuild, (type(self), self.code, self.what, self.evidence, self.do))

    @property
    def kind(self) -> str:
        """The name of the public class that this error is one of."""
        return next(base.__name__ for base in type(self).__mro__ if base.__module__ == __name__)

    def as_json(self) -> dict[str, Any]:
        """Return the four parts as they stand in `--json` output."""
        return {"code": self.code, "what": self.what, "evidence": list(self.evidence), "do": self.do}


def _rebuild(kind: type[SamerunError], code: str, what: str, evidence: tuple[str, ...], do: str) -> SamerunError:
    return kind(code, what, evidence=evidence, do=do)


class UsageError(SamerunError):
    """A call or a command that cannot mean anything."""

    exit_code = ExitCode.USAGE


class ConfigError(SamerunError):
    """A recipe or a setting that is wrong; carries all problems at once, one line of evidence each."""

    exit_code = ExitCode.USAGE


class RefusedError(SamerunError):
    """Possible, but against a promise: the identity moved, the tier is weaker, the tree is dirty."""

    exit_code = ExitCode.REFUSED


class MissingError(SamerunError):
    """Something needed is not here: an extra, a device, room on the disk, the right to write."""

    exit_code = ExitCode.MISSING


class NoMatchError(SamerunError):
    """What was asked for does not exist."""

    exit_code = ExitCode.NO_MATCH


class DamageError(SamerunError):
    """A file of a record is not what was written."""

    exit_code = ExitCode.DAMAGED


class LockedError(SamerunError):
    """A live process holds the lock."""

    exit_code = ExitCode.LOCKED


class InternalError(SamerunError):
    """A bug of ours."""

    exit_code = ExitCode.INTERNAL
    shows_traceback = True


class Stopped(SystemExit):
    """Raised out of the loop by a stop: the run has a checkpoint and can be resumed; the process exits with 75."""

    def __init__(self, what: str = "stopped at a step boundary") -> None:
        super().__init__(int(ExitCode.STOPPED))
        self.what = what

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True)
class CodePage:
    """What one error code means in general, as `samerun explain CODE` prints it."""

    code: str
    title: str
    means: str
    do: str


@cache
def code_pages() -> dict[str, CodePage]:
    """Return every known error code, sorted, from `error_codes/*.toml`."""
    import tomllib
    from importlib.resources import files

    pages: dict[str, CodePage] = {}
    for file in sorted(files("samerun").joinpath("error_codes").iterdir(), key=lambda entry: entry.name):
        if not file.name.endswith(".toml"):
            continue
        for code, entry in tomllib.loads(file.read_text(encoding="utf-8")).items():
            if code in pages:
                raise AssertionError(f"{file.name}: {code} is described twice")
            pages[code] = CodePage(code, entry["title"], entry["means"], entry["do"])
    return dict(sorted(pages.items()))
