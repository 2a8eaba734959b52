"""`manifest.json`: what happened to a run. Its status, its versions, where it came from, how far it got.

The file is replaced whole at every change of status. The facts that make two runs equal are in identity.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Self

from samerun.base.sealed import read_sealed, write_sealed
from samerun.base.shareable import shareable_text
from samerun.config.problems import printable
from samerun.errors import DamageError, MissingError
from samerun.record import layout
from samerun.record.rowchain import LogMark


class Status(StrEnum):
    """Where a run stands."""

    READY = "ready"
    RUNNING = "running"
    STOPPED = "stopped"
    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    CLOSED_BEFORE_TRAINING = "closed_before_training"


SETTLED: Final = frozenset({Status.STOPPED, Status.COMPLETED, Status.FAILED, Status.CLOSED_BEFORE_TRAINING})
"""Statuses written after the logs were closed: from then on the logs end exactly where the manifest says."""


@dataclass(frozen=True)
class Entry:
    """What started the run."""

    kind: str
    """`recipe`, `script` or `loop`."""
    argv: tuple[str, ...] = ()
    """Arguments after the recipe or the script, redacted; no absolute path (those are in local.json)."""
    path: str | None = None
    """Recipe or script, relative to the project root; None where there is no file (a notebook, a prompt)."""
    module: str | None = None
    """`package.module` for `python -m`."""


@dataclass(frozen=True)
class Parent:
    """Where a forked run left its parent."""

    run: str
    """Folder name of the parent."""
    identity: str
    step: int
    state_digest: str


@dataclass(frozen=True)
class Segment:
    """A stretch of the run on one set of facts; a second one begins where drift was allowed."""

    number: int
    from_step: int
    identity: str
    """Identity of this stretch; the first is the run's own."""
    platform_digest: str
    drift: tuple[str, ...] = ()
    """Fields that moved, as `group.path`; both values are in drift.json."""


@dataclass(frozen=True)
class Checked:
    """How often steps were repeated while the run happened, and how often the repetition was equal."""

    times: int = 0
    equal: int = 0


@dataclass(frozen=True)
class Manifest:
    """The document, with defaults for a run that has just been opened."""

    name: str
    identity: str
    """Id of the facts as they are known now; late imports may have moved it since the start."""
    opening: str
    """Id of the facts when the folder was made; the folder is named by it."""
    entry: Entry
    created: str
    """When the folder was made, ISO 8601 in UTC."""
    updated: str
    """When the status last changed, ISO 8601 in UTC."""
    status: Status = Status.READY
    step: int = 0
    """Completed steps at the last change of status; the newest checkpoint may be older or newer."""
    steps: int | None = None
    """Steps wanted; None for a loop that has not said."""
    attempt: int = 1
    """Number of the process that writes or last wrote the run, from 1."""
    seed: str = "0"
    """Master seed as decimal text (it has up to 128 bits)."""
    tier: str = "exact"
    exact_except: tuple[str, ...] = ()
    grade: str = "full"
    """`full`, `interactive`, `observed` or `external`: how much of the promises holds."""
    parent: Parent | None = None
    segments: tuple[Segment, ...] = ()
    checked: Checked = Checked()
    enforced: Mapping[str, Any] = field(default_factory=dict)
    """What torch said was in force when the loop was entered last; empty before, and without torch."""
    excepted: Mapping[str, int] = field(default_factory=dict)
    """How often each operation of `exact_except` ran, by name, over all attempts."""
    logs: Mapping[str, LogMark] = field(default_factory=dict)
    """Where each log ends; set when the logs are closed, empty while they grow."""
    state_digest: str | None = None
    """Digest of all components at `step`, where it was computed."""
    metrics: Mapping[str, Any] = field(default_factory=dict)
    """The newest value of each metric."""
    best: Mapping[str, Any] = field(default_factory=dict)
    """The best checkpoint: metric, value, step."""
    late_imports: tuple[str, ...] = ()
    """Source imported after the opening, by label; part of `identity`, not of `opening`."""
    reason: str | None = None
    """Why it failed, stopped or was interrupted: one redacted line."""
    samerun: str = ""
    """Version of the samerun that wrote this."""

    def as_document(self) -> dict[str, Any]:
        """Give the plain tree that is sealed into the file."""
        document: dict[str, Any] = {"schema": "samerun.manifest", "format": layout.RUN_FORMAT}
        for entry in fields(self):
            document[entry.name] = _plain(getattr(self, entry.name))
        return document

    @classmethod
    def from_document(cls, document: Mapping[str, Any], where: str) -> Self:
        """Read what as_document gave. Raises DamageError SR-RECORD-021, MissingError SR-RECORD-020."""
        check_format(document, "samerun.manifest", where)
        values = {key: value for key, value in document.items() if key not in ("schema", "format")}
        known = {entry.name for entry in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise malformed(where, f"it has keys that no manifest of this format has: {', '.join(unknown)}")
        try:
            return cls(**_typed(values, where))
        except (TypeError, ValueError, KeyError) as problem:
            raise malformed(where, str(problem)) from problem


def check_format(document: Mapping[str, Any], schema: str, where: str) -> None:
    """Refuse a document of another kind, or of a later format than this version reads."""
    if document.get("schema") != schema:
        raise malformed(where, f"schema is {document.get('schema')!r}, not {schema!r}")
    version = document.get("format")
    if type(version) is not int or version < 1:
        raise malformed(where, f"format is {version!r}")
    if version > layout.RUN_FORMAT:
        raise MissingError(
            "SR-RECORD-020",
            f"{where}: written in format {version}, this samerun reads up to {layout.RUN_FORMAT}",
            do="pip install --upgrade samerun",
        )


def malformed(where: str, reason: str) -> DamageError:
    """Make the error for a document whose digest is right and whose content is not what its schema says."""
    return DamageError(
        "SR-RECORD-021",
        f"{where}: the document is not what its schema says",
        evidence=[reason],
        do="samerun verify RUN --files",
    )


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a run folder. Raises DamageError where the file is missing or damaged."""
    path = folder / layout.MANIFEST
    try:
        document = read_sealed(path)
    except FileNotFoundError:
        raise missing_file(path) from None
    return Manifest.from_document(document, str(path))


def missing_file(path: Path) -> DamageError:
    """Make the error for a file that every run folder has and this one has not."""
    return DamageError(
        "SR-RECORD-022",
        f"{path.name} is missing",
        evidence=[f"run folder: {path.parent}"],
        do="samerun verify RUN --files",
    )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest of a run folder at once: a reader sees the old one or the new one."""
    write_sealed(folder / layout.MANIFEST, manifest.as_document())


def shown_reason(reason: str | None) -> str | None:
    """Cut a reason to one line for a manifest: without secrets and local paths, printable, at most 300 characters."""
    return None if reason is None else printable(shareable_text(" ".join(reason.split())))[:300]


def _plain(value: Any) -> Any:
    if isinstance(value, LogMark):
        return value.as_json()
    if isinstance(value, (Entry, Parent, Segment, Checked)):
        return {entry.name: _plain(getattr(value, entry.name)) for entry in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return str(value) if isinstance(value, Status) else value


def _typed(values: dict[str, Any], where: str) -> dict[str, Any]:
    typed = dict(values)
    typed["status"] = Status(values["status"])
    typed["entry"] = _entry(values["entry"])
    if values.get("parent") is not None:
        typed["parent"] = Parent(**values["parent"])
    typed["segments"] = tuple(_segment(segment) for segment in values.get("segments", ()))
    typed["checked"] = Checked(**values.get("checked", {}))
    typed["logs"] = {name: LogMark.from_json(mark, where) for name, mark in values.get("logs", {}).items()}
    for name in ("exact_except", "late_imports"):
        typed[name] = tuple(values.get(name, ()))
    for name in ("step", "attempt"):
        if type(values.get(name, 0)) is not int:
            raise ValueError(f"{name} is {values[name]!r}, not a whole number")
    return typed


def _entry(value: Mapping[str, Any]) -> Entry:
    return Entry(**{**value, "argv": tuple(value["argv"])})


def _segment(value: Mapping[str, Any]) -> Segment:
    return Segment(**{**value, "drift": tuple(value["drift"])})
