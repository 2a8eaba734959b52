"""`config.json` and `recipe.submitted.<ext>`: the resolved values, where each came from, and the submitted bytes.

How values are resolved is config/'s work; here is how they lie in the run folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.base import files
from samerun.base.digest import sha256
from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import DamageError
from samerun.record import layout
from samerun.record.manifest import check_format, malformed, missing_file


@dataclass(frozen=True)
class ResolvedConfig:
    """The settings of a run."""

    values: Mapping[str, Any]
    """The whole tree, aside values too; secrets are references or markers."""
    origins: Mapping[str, Mapping[str, str]]
    """Dotted path -> layer (`default`, `recipe`, `set`, `code`, `restored`) and where in it, without absolute paths."""
    asides: Mapping[str, str]
    """Dotted path -> why the value is no part of the identity."""
    identity_digest: str
    """Digest of the canonical JSON of the values that are part of the identity."""
    submitted_name: str | None = None
    """File in the run folder that holds the submitted bytes; None for a loop's config object."""
    submitted_digest: str | None = None
    notes: tuple[str, ...] = ()
    """What resolving did that its user may not expect (a table reset by its kind, a secret replaced by a marker)."""

    def as_document(self) -> dict[str, Any]:
        """Give the plain tree that is sealed into the file."""
        return {
            "schema": "samerun.config",
            "format": layout.RUN_FORMAT,
            "values": dict(self.values),
            "origins": {path: dict(origin) for path, origin in self.origins.items()},
            "asides": dict(self.asides),
            "identity_digest": self.identity_digest,
            "submitted_name": self.submitted_name,
            "submitted_digest": self.submitted_digest,
            "notes": list(self.notes),
        }


def write_config(folder: Path, config: ResolvedConfig, submitted: bytes | None) -> None:
    """Write both files. With `submitted`, config names its file (layout.submitted_name) and its digest."""
    if submitted is not None:
        assert config.submitted_name is not None and config.submitted_digest == sha256(submitted)
        files.replace(folder / config.submitted_name, submitted)
    write_sealed(folder / layout.CONFIG, config.as_document())


def read_config(folder: Path) -> ResolvedConfig:
    """Read config.json. Raises DamageError where it is missing or damaged."""
    path = folder / layout.CONFIG
    try:
        document = read_sealed(path)
    except FileNotFoundError:
        raise missing_file(path) from None
    check_format(document, "samerun.config", str(path))
    tables = [document.get(name) for name in ("values", "origins", "asides")]
    if not all(isinstance(table, dict) for table in tables):
        raise malformed(str(path), "values, origins and asides are not all tables")
    values = {key: value for key, value in document.items() if key not in ("schema", "format")}
    name = values.get("submitted_name")
    if name is not None and (type(name) is not str or name != layout.submitted_name(name.rpartition(".")[2])):
        raise malformed(str(path), f"submitted_name is {name!r:.200}")
    try:
        return ResolvedConfig(**{**values, "notes": tuple(values["notes"])})
    except (TypeError, KeyError) as problem:
        raise malformed(str(path), str(problem)) from problem


def read_submitted(folder: Path, config: ResolvedConfig) -> bytes | None:
    """Read the submitted bytes and check them against config.json; None where none were submitted."""
    if config.submitted_name is None:
        return None
    path = folder / config.submitted_name
    return checked_bytes(path, config.submitted_digest)


def checked_bytes(path: Path, digest: str | None) -> bytes:
    """Read a file whose digest another document of the run holds. Raises DamageError SR-RECORD-022, SR-RECORD-023."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise missing_file(path) from None
    if sha256(data) != digest:
        raise DamageError(
            "SR-RECORD-023",
            f"{path.name} is not the file that was written",
            evidence=[f"file: {path}", f"stored digest: {digest}", f"found digest: {sha256(data)}"],
            do="samerun verify RUN --files",
        )
    return data
