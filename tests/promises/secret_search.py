"""A search for planted secrets: every file of a folder, also inside archives, in every spelling of a leak."""

from __future__ import annotations

import base64
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, quote_plus


def spellings(secret: str) -> dict[str, bytes]:
    """Return a secret as it may stand in bytes: plain, escaped, percent-encoded, hex, base 64, UTF-16, reversed."""
    data = secret.encode()
    found = {
        "plain": data,
        "hex": data.hex().encode(),
        "HEX": data.hex().upper().encode(),
        "percent": quote(data, safe="").encode(),
        "form": quote_plus(data).encode(),
        "JSON": json.dumps(secret)[1:-1].encode(),
        "repr": repr(secret)[1:-1].encode(),
        "UTF-16 LE": secret.encode("utf-16-le"),
        "UTF-16 BE": secret.encode("utf-16-be"),
        "reversed": data[::-1],
    }
    for shift in range(3):
        # Whatever stands before it, one of three alignments; the letters at both ends depend on their neighbours.
        coded = base64.b64encode(b"\0" * shift + data).decode().rstrip("=")
        found[f"base 64 +{shift}"] = coded[(0, 2, 3)[shift] : len(coded) - 1].encode()
    return found


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file of a folder by its path, and every member of an archive among them; names count as content."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        yield f"{name} (name)", name.encode("utf-8", "surrogateescape")
        if path.is_file() and not path.is_symlink():
            yield from _unpacked(name, path.read_bytes())


def _unpacked(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    yield name, data
    if data.startswith(b"PK") and zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                yield from _unpacked(f"{name}!{member.filename}", archive.read(member))
    elif name.endswith((".tar", ".tgz", ".tar.gz")):
        with tarfile.open(fileobj=io.BytesIO(data)) as packed:
            for entry in packed:
                if entry.isfile():
                    found = packed.extractfile(entry)
                    assert found is not None
                    yield from _unpacked(f"{name}!{entry.name}", found.read())


def leaks(places: Iterator[tuple[str, bytes]], secrets: Mapping[str, str]) -> list[str]:
    """Return `where: which secret, how it is spelled` for everything that was found."""
    wanted = {name: spellings(secret) for name, secret in secrets.items()}
    return [
        f"{place}: {name} ({how})"
        for place, data in places
        for name, ways in wanted.items()
        for how, spelled in ways.items()
        if spelled in data
    ]
