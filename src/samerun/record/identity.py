"""`identity.json`: the facts that make two runs the same experiment on the same platform, and the id they give.

The id is shared by equal runs; a run is named by its folder. What belongs into each group is decided by run/facts.py
and trainers/opening.py; here is how facts become digests, and how two sets of facts are compared field by field.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, Self

from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256
from samerun.base.sealed import read_sealed, write_sealed
from samerun.record import layout
from samerun.record.manifest import check_format, malformed, missing_file

ID_HEX: Final = 16
GROUPS: Final = ("experiment", "platform")
DRIFT_GROUPS: Final = ("platform", "source", "environment")
"""Groups that `--allow-drift` takes; single fields are named as `group.path`."""


@dataclass(frozen=True)
class Identity:
    """Both groups of facts: trees of JSON values with text keys."""

    experiment: Mapping[str, Any]
    """Config values that are not aside, master seed, digests of data, starting weights and source, parent of a fork."""
    platform: Mapping[str, Any] = field(default_factory=dict)
    """Versions, device class, threads, tier, world size, variables that choose kernels."""

    @cached_property
    def experiment_digest(self) -> str:
        """Digest of the canonical JSON of the group."""
        return sha256(canonical_bytes(self.experiment))

    @cached_property
    def platform_digest(self) -> str:
        """Digest of the canonical JSON of the group."""
        return sha256(canonical_bytes(self.platform))

    @cached_property
    def id(self) -> str:
        """16 hex characters: the beginning of SHA-256 over both digests."""
        both = {"experiment": self.experiment_digest, "format": 1, "platform": self.platform_digest}
        return sha256(canonical_bytes(both)).removeprefix("sha256:")[:ID_HEX]

    @property
    def id8(self) -> str:
        """The first 8 characters of the id, as they stand in a folder's name."""
        return self.id[:8]

    def as_document(self) -> dict[str, Any]:
        """Give the plain tree that is sealed into the file."""
        return {
            "schema": "samerun.identity",
            "format": layout.RUN_FORMAT,
            "id": self.id,
            "experiment": dict(self.experiment),
            "experiment_digest": self.experiment_digest,
            "platform": dict(self.platform),
            "platform_digest": self.platform_digest,
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any], where: str) -> Self:
        """Read what as_document gave, recomputing every digest. Raises DamageError SR-RECORD-021."""
        check_format(document, "samerun.identity", where)
        groups = [document.get(name) for name in GROUPS]
        if not all(isinstance(group, dict) for group in groups):
            raise malformed(where, "experiment and platform are not both tables")
        identity = cls(experiment=document["experiment"], platform=document["platform"])
        for name in ("id", "experiment_digest", "platform_digest"):
            if document.get(name) != getattr(identity, name):
                raise malformed(where, f"{name} is {document.get(name)!r}, the facts give {getattr(identity, name)!r}")
        return identity


def read_identity(folder: Path) -> Identity:
    """Read the identity of a run folder. Raises DamageError where the file is missing or damaged."""
    path = folder / layout.IDENTITY
    try:
        document = read_sealed(path)
    except FileNotFoundError:
        raise missing_file(path) from None
    return Identity.from_document(document, str(path))


def write_identity(folder: Path, identity: Identity) -> None:
    """Put the identity into a run folder at once."""
    write_sealed(folder / layout.IDENTITY, identity.as_document())


@dataclass(frozen=True)
class Moved:
    """One fact that is not the same on both sides; the value of a side that has no such fact is None."""

    group: str
    """`experiment` or `platform`."""
    path: str
    """Keys joined by dots, odd keys quoted: `config.optimizer.kind`, `source.user["net.py"].meaning`."""
    old: Any
    new: Any
    kind: Literal["changed", "added", "removed"] = "changed"

    @property
    def name(self) -> str:
        """Group and path, as `--allow-drift` takes it."""
        return f"{self.group}.{self.path}"

    @property
    def drift_group(self) -> str | None:
        """The `--allow-drift` group that covers this fact, None for an experiment value."""
        if self.group == "experiment":
            return "source" if _is_under(self.path, "source") else None
        return "environment" if _is_under(self.path, "variables") else "platform"

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in drift.json and in `--json`."""
        return {"group": self.group, "path": self.path, "kind": self.kind, "old": self.old, "new": self.new}


def _is_under(path: str, root: str) -> bool:
    return path == root or path.startswith((f"{root}.", f"{root}["))


def moved(old: Identity, new: Identity) -> list[Moved]:
    """List every fact that differs, experiment first, each group in the order of its sorted paths."""
    return [
        difference
        for group, before, after in (
            ("experiment", old.experiment, new.experiment),
            ("platform", old.platform, new.platform),
        )
        if canonical_bytes(before) != canonical_bytes(after)
        for difference in _compare(group, "", before, after)
    ]


def refused(differences: Sequence[Moved], allowed: Collection[str]) -> list[Moved]:
    """List the differences that `--allow-drift` with these names does not cover.

    `platform` covers the platform with its variables, `environment` the variables, `source` the source digests, a
    single field itself (with or without its group). Nothing covers an experiment value other than source.
    """
    return [difference for difference in differences if not _is_allowed(difference, allowed)]


def _is_allowed(difference: Moved, allowed: Collection[str]) -> bool:
    if difference.drift_group is None:
        return False
    names = {difference.drift_group, difference.path, difference.name}
    if difference.group == "platform":
        names.add("platform")
    return any(
        name in names or _is_under(difference.path, name) or ("." in name and _is_under(difference.name, name))
        for name in allowed
    )


_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def _compare(group: str, path: str, old: Any, new: Any) -> Iterator[Moved]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted(set(old) | set(new)):
            yield from _compare_key(group, _join(path, key), key, old, new)
    elif isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _compare(group, f"{path}[{index}]", before, after)
    elif canonical_bytes(old) != canonical_bytes(new):
        yield Moved(group, path, old, new)


def _compare_key(group: str, path: str, key: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Moved]:
    if key not in old:
        yield Moved(group, path, None, new[key], "added")
    elif key not in new:
        yield Moved(group, path, old[key], None, "removed")
    else:
        yield from _compare(group, path, old[key], new[key])


def _join(path: str, key: str) -> str:
    if not _PLAIN_KEY.fullmatch(key):
        return f'{path}["{key}"]'
    return f"{path}.{key}" if path else key
