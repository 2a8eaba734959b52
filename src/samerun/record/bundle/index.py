"""`bundle.json`: size and SHA-256 of every other member, which run it is, and what was left out.

The document is sealed, so a changed byte of it is found; a member that it does not list is no part of the bundle.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from samerun.base.sealed import seal, unseal
from samerun.errors import DamageError, MissingError, UsageError
from samerun.record import layout
from samerun.record.bundle.names import FORMAT

SCHEMA: Final = "samerun.bundle"
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_ID8: Final = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True)
class MemberFacts:
    """Size and digest of one member."""

    size: int
    sha256: str


@dataclass(frozen=True)
class BundleIndex:
    """The document."""

    name: str
    """Name of the run, and with the next the name of its folder."""
    id8: str
    members: Mapping[str, MemberFacts]
    """By name, the index itself left out."""
    checkpoints: tuple[int, ...] = ()
    """Steps whose checkpoints are inside, ascending."""
    without: tuple[int, ...] = ()
    """Steps of checkpoints that the run had and that were left out; their leaf digests are inside."""
    data: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Input of the run -> the members that are its files."""

    @property
    def folder(self) -> str:
        """Name of the run folder."""
        return layout.folder_name(self.name, self.id8)

    def as_bytes(self) -> bytes:
        """Return the sealed document."""
        return seal(
            {
                "schema": SCHEMA,
                "format": FORMAT,
                "name": self.name,
                "id8": self.id8,
                "members": {name: {"size": facts.size, "sha256": facts.sha256} for name, facts in self.members.items()},
                "checkpoints": list(self.checkpoints),
                "without": list(self.without),
                "data": {name: list(members) for name, members in self.data.items()},
            }
        )


def parse_index(data: bytes, where: str) -> BundleIndex:
    """Return the index of its bytes, every field checked.

    Raises DamageError SR-DAMAGE-001 to -003 for bytes that were changed, SR-BUNDLE-012 for fields that cannot be,
    MissingError SR-BUNDLE-014 for a later format.
    """
    document = unseal(data, where)
    version = document.get("format")
    if document.get("schema") == SCHEMA and type(version) is int and version > FORMAT:
        raise MissingError(
            "SR-BUNDLE-014",
            f"{where}: written in format {version}, this samerun reads up to {FORMAT}",
            do="pip install --upgrade samerun",
        )
    try:
        return _parsed(document)
    except (KeyError, TypeError, AttributeError, ValueError, UsageError) as problem:
        raise DamageError(
            "SR-BUNDLE-012",
            f"{where} cannot be the index of a bundle",
            evidence=[f"{type(problem).__name__}: {problem}"[:300]],
            do="get the file again from where it came from",
        ) from problem


def _parsed(document: Mapping[str, Any]) -> BundleIndex:
    _demand(document["schema"] == SCHEMA and document["format"] == FORMAT, "schema or format is another")
    members = {name: _facts(facts) for name, facts in document["members"].items()}
    data = {name: tuple(listed) for name, listed in document["data"].items()}
    _demand(all(one in members for listed in data.values() for one in listed), "its data are no members")
    _demand(bool(_ID8.fullmatch(document["id8"])), "id8 is no beginning of an identity")
    kept, without = (_steps(document[name]) for name in ("checkpoints", "without"))
    return BundleIndex(layout.check_name(document["name"]), document["id8"], members, kept, without, data)


def _facts(facts: Any) -> MemberFacts:
    _demand(type(facts["size"]) is int and facts["size"] >= 0, "a size is no count of bytes")
    _demand(bool(_DIGEST.fullmatch(facts["sha256"])), "a digest is none")
    return MemberFacts(facts["size"], facts["sha256"])


def _steps(value: Any) -> tuple[int, ...]:
    _demand(isinstance(value, list) and all(type(step) is int and step >= 0 for step in value), "steps are none")
    return tuple(value)


def _demand(holds: bool, why: str) -> None:
    if not holds:
        raise ValueError(why)
