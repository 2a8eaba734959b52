"""`source-files.tar`: the source that computed a run, as a tar whose bytes depend on its content alone.

No times, owners or modes of the machine are in it. Reading it back takes nothing that could leave the target folder:
no links, no absolute or upward paths, no doubled names.
"""

import io
import tarfile
from collections.abc import Mapping

from samerun.errors import DamageError


def snapshot_tar(contents: Mapping[str, bytes]) -> bytes:
    """Pack files into a tar: label (relative, forward slashes) -> bytes; equal contents give equal bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for label in sorted(contents):
            if (fault := label_fault(label)) is not None:
                raise ValueError(f"{label!r} cannot stand in a snapshot: {fault}")
            member = tarfile.TarInfo(label)
            member.size = len(contents[label])
            member.mode = 0o644
            tar.addfile(member, io.BytesIO(contents[label]))
    return out.getvalue()


def read_tar(data: bytes, where: str) -> dict[str, bytes]:
    """Read what snapshot_tar packed. Raises DamageError SR-RECORD-024 for anything else, without writing a file."""
    contents: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for member in tar:
                # A sparse file may claim any size: it would be read as that many zeros.
                is_plain = member.isreg() and not member.issparse()
                fault = label_fault(member.name) if is_plain else "it is no plain file"
                if fault is not None or member.name in contents:
                    raise _refused(where, f"{member.name!r}: {fault or 'it stands there twice'}")
                body = tar.extractfile(member)
                assert body is not None
                contents[member.name] = body.read()
    except (tarfile.TarError, EOFError, ValueError, OSError) as problem:
        raise _refused(where, str(problem)) from problem
    return contents


def label_fault(label: str) -> str | None:
    """Say why a name is none of a stored file: it could mean a place outside of its folder. None where it is one."""
    parts = label.split("/")
    if not label or label.startswith("/") or any(part in ("", ".", "..") for part in parts):
        return "it is no plain relative path"
    if "\\" in label or "\0" in label or ":" in parts[0]:
        return "it holds a character that means something else elsewhere"
    return None


def _refused(where: str, reason: str) -> DamageError:
    return DamageError(
        "SR-RECORD-024",
        f"{where}: this is not a snapshot that samerun wrote",
        evidence=[reason],
        do="samerun verify RUN --files",
    )
