"""What a loop reads from outside: data sets in memory, files, folders and hub snapshots, as content digests.

The digests become `experiment.inputs` of the identity on entry to the loop; paths stay out of it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from samerun.base.redact import redact_text
from samerun.config.problems import printable
from samerun.data.arrays import digest_arrays
from samerun.data.inmemory import is_arrays
from samerun.data.manifest import Manifest, pinned_digest, pinned_manifest
from samerun.errors import MissingError, RefusedError
from samerun.record.data import DataRecord, FolderFiles

_NAMED: Final = 3


class Inputs:
    """The named inputs of one run, each with the digest of its content."""

    def __init__(self) -> None:
        self.facts: dict[str, str] = {}
        self.folders: dict[str, FolderFiles] = {}
        """Of each input that is a folder, the digests of its files."""

    def add_dataset(self, name: str, dataset: Any) -> None:
        """Digest a data set that is arrays or tensors in memory; for others the trail's batch digests speak."""
        if is_arrays(dataset):
            self._add(f"dataset/{name}", digest_arrays(dataset))

    def add_path(self, reference: str, *, revision: str | None, is_entered: bool) -> Path:
        """Resolve a path or hub id and record its digest.

        Raises RefusedError SR-RUN-013, and SR-DATA-022 for what can be read and not be pinned, MissingError SR-RUN-014,
        NoMatchError SR-DATA-023 for a folder without a file.
        """
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
            self._add(shown, pinned_digest(local))
            return local
        found = pinned_manifest(local)
        _tell_left_out(shown, found)
        self.folders[self._add(shown, found.digest)] = FolderFiles(
            {entry.id: entry.sha256 for entry in found.entries},
            found.size_bytes,
            tuple((one.id, one.reason) for one in found.left_out),
        )
        return local

    def record(self) -> DataRecord:
        """Return what data.json says of the inputs."""
        return DataRecord(dict(self.facts), dict(self.folders))

    def _add(self, name: str, digest: str) -> str:
        free, number = name, 1
        while self.facts.get(free, digest) != digest:
            number += 1
            free = f"{name}-{number}"
        self.facts[free] = digest
        return free


def _tell_left_out(name: str, found: Manifest) -> None:
    if found.left_out:
        shown = ", ".join(f"{one.id} ({one.reason})" for one in found.left_out[:_NAMED])
        more = f" and {len(found.left_out) - _NAMED} more" if len(found.left_out) > _NAMED else ""
        sys.stderr.write(printable(f"samerun: {name}: in no digest, since nobody can read it: {shown}{more}\n"))


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
    do = "check the spelling, or download it first; for a run that was unpacked: start in its folder unpacked-data"
    return MissingError("SR-RUN-014", f"'{reference}' cannot be read", evidence=(found,), do=do)
