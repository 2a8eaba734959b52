"""What a loop reads from outside: data sets in memory, files, folders and hub snapshots, as content digests.

The digests become `experiment.inputs` of the identity on entry to the loop; paths stay out of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from samerun.base.digest import sha256_file
from samerun.base.redact import redact_text
from samerun.config.problems import printable
from samerun.data.inmemory import is_arrays
from samerun.data.manifest import manifest_digest, manifest_of
from samerun.data.scan import digest_arrays
from samerun.errors import MissingError, RefusedError

FILES_LISTED: Final = 2000
"""Files of a folder that are listed one by one in data.json; of a larger one only their number is kept."""


class Inputs:
    """The named inputs of one run, each with the digest of its content."""

    def __init__(self) -> None:
        self.facts: dict[str, str] = {}
        self.files: dict[str, dict[str, Any]] = {}
        """Of each folder: how many files it has, and the digest of each by its path within (None for too many)."""

    def add_dataset(self, name: str, dataset: Any) -> None:
        """Digest a data set that is arrays or tensors in memory; for others the trail's batch digests speak."""
        if is_arrays(dataset):
            self._add(f"dataset/{name}", digest_arrays(dataset))

    def add_path(self, reference: str, *, revision: str | None, is_entered: bool) -> Path:
        """Resolve a path or hub id and record its digest. Raises RefusedError SR-RUN-013, MissingError SR-RUN-014."""
        if is_entered:
            raise RefusedError(
                "SR-RUN-013",
                f"run.input('{reference}') inside the loop",
                evidence=("an input is part of the identity, which is settled on entry to the loop",),
                do="call run.input before run.steps or run.epochs",
            )
        path = Path(reference)
        local = path if path.exists() else _hub_snapshot(reference, revision)
        name = path.name if path.exists() else reference
        shown = f"input/{printable(redact_text(name))}"
        if local.is_file():
            self._add(shown, sha256_file(local))
            return local
        entries = manifest_of(local)
        listed = {entry.id: entry.sha256 for entry in entries} if len(entries) <= FILES_LISTED else None
        self.files[self._add(shown, manifest_digest(entries))] = {"num_files": len(entries), "files": listed}
        return local

    def _add(self, name: str, digest: str) -> str:
        free, number = name, 1
        while self.facts.get(free, digest) != digest:
            number += 1
            free = f"{name}-{number}"
        self.facts[free] = digest
        return free


def _hub_snapshot(reference: str, revision: str | None) -> Path:
    """Download (or find in the cache) a snapshot of a hub repository at a revision."""
    parts = reference.split("/")
    if len(parts) == 2 and all(parts) and not reference.startswith("."):
        try:
            from huggingface_hub import snapshot_download
        except ImportError:
            raise MissingError(
                "SR-RUN-014",
                f"'{reference}' is no local path, and hub ids need huggingface_hub",
                evidence=(f"looked for: {Path(reference).absolute()}",),
                do="pip install huggingface_hub, or give a local path",
            ) from None
        try:
            return Path(snapshot_download(reference, revision=revision))
        except (OSError, ValueError) as error:
            raise _missing(reference, f"hub: {error}") from error
    raise _missing(reference, "no such file or folder, and no hub id (owner/name)")


def _missing(reference: str, found: str) -> MissingError:
    return MissingError(
        "SR-RUN-014", f"'{reference}' cannot be read", evidence=(found,), do="check the spelling, or download it first"
    )
