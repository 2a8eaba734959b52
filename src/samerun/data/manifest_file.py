"""Files of manifests: JSON lines, or Parquet for programs that read tables. Both hold a digest over all they say.

A .jsonl file is a line about the manifest, a line for each entry, and a last one with the digests: of the data set, and
of every byte before. Equal data gives equal bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from samerun.base import files
from samerun.base.canon import canonical_bytes, parse_json
from samerun.config.problems import printable
from samerun.data.entry import Entry, LeftOut, spelled
from samerun.data.manifest import Manifest
from samerun.data.table_items import no_pyarrow
from samerun.errors import DamageError, MissingError, RefusedError, SamerunError, UsageError

if TYPE_CHECKING:
    from types import ModuleType

SCHEMA: Final = "samerun.data-manifest"
FORMAT: Final = 1
COLUMNS: Final = Entry._fields
_KEY: Final = b"samerun"
_LOOKED_AT: Final = 1 << 20
"""Bytes of a file in which it must say that it is a manifest: at its beginning, or at its end for Parquet."""


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write a manifest in place of the file; `.jsonl` or `.parquet` decides the form.

    Raises UsageError SR-DATA-027 for another ending, RefusedError SR-DATA-037 where something else stands there,
    MissingError SR-DATA-026 without pyarrow.
    """
    spell = {".jsonl": to_jsonl, ".parquet": _to_parquet}[checked_target(path)]
    if path.parent != Path():
        files.make_dir(path.parent)
    files.replace(path, spell(manifest))


def checked_target(path: Path, data: Path | None = None) -> str:
    """Return the ending of a file that a manifest may be written to: a new file, or one that holds a manifest.

    Raises UsageError SR-DATA-027 for another ending, and SR-DATA-038 for a file inside of the folder `data` that is to
    be listed, RefusedError SR-DATA-037 for a file that holds something else, such as the data itself.
    """
    suffix = checked_suffix(path)
    if data is not None and data.is_dir() and path.resolve().is_relative_to(data.resolve()):
        raise UsageError(
            "SR-DATA-038",
            f"{printable(path.name)} would be one of the files that it lists",
            evidence=[f"it is to lie inside of {printable(data.as_posix())}"],
            do="write it beside the data",
        )
    if path.is_file() and not _may_be_replaced(path):
        raise RefusedError(
            "SR-DATA-037",
            f"{printable(path.name)} is there already, and is no manifest",
            evidence=["nothing was written"],
            do="name another file with -o, or remove this one",
        )
    return suffix


def _may_be_replaced(path: Path) -> bool:
    """Whether a file is empty or was a manifest, damaged or not."""
    with path.open("rb") as file:
        if path.suffix == ".jsonl":
            begin = file.readline(_LOOKED_AT)
            return not begin or SCHEMA.encode() in begin
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LOOKED_AT))
        return not size or SCHEMA.encode() in file.read()


def checked_suffix(path: Path) -> str:
    """Return the ending of a file that can hold a manifest. Raises UsageError SR-DATA-027 for another."""
    if path.suffix in (".jsonl", ".parquet"):
        return path.suffix
    raise UsageError(
        "SR-DATA-027",
        f"{printable(path.name)} cannot hold a manifest",
        evidence=[f"its name ends in {printable(path.suffix) or 'nothing'}"],
        do="name a file that ends in .jsonl or .parquet",
    )


def read_manifest(path: Path) -> Manifest:
    """Read a manifest and check it against its digests.

    Raises MissingError SR-DATA-015 where there is none, DamageError SR-DATA-028 for what is not what was written,
    UsageError SR-DATA-027, MissingError SR-DATA-029 for one of a later format.
    """
    read = {".jsonl": _of_jsonl, ".parquet": _of_parquet}[checked_suffix(path)]
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise MissingError(
            "SR-DATA-015",
            f"there is no manifest at {printable(path.as_posix())}",
            evidence=[problem.strerror or str(problem)],
            do=f"samerun data manifest PATH -o {path.name}",
        ) from problem
    try:
        return read(data, path.name)
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        raise _damaged(path.name, f"it is no manifest: {problem}") from problem


def _head(manifest: Manifest) -> dict[str, Any]:
    head = {"schema": SCHEMA, "format": FORMAT, "kind": manifest.kind, "rules": dict(manifest.rules)}
    if manifest.left_out:
        head["left_out"] = [one.as_json() for one in manifest.left_out]
    return {**head, "split": dict(manifest.split)} if manifest.split else head


def _manifest(head: Mapping[str, Any], entries: Sequence[Entry], digest: str, where: str) -> Manifest:
    if head["schema"] != SCHEMA:
        raise ValueError(f"schema is {head['schema']!r}")
    if head["format"] > FORMAT:
        raise MissingError(
            "SR-DATA-029",
            f"{printable(where)} was written in format {head['format']}, this samerun reads up to {FORMAT}",
            do="pip install --upgrade samerun",
        )
    left_out = tuple(LeftOut(one["id"], one["reason"]) for one in head.get("left_out", ()))
    found = Manifest(tuple(entries), left_out, head["kind"], head["rules"], head.get("split", {}))
    if found.digest != digest:
        raise _damaged(where, f"digest stored: {digest}, over its entries: {found.digest}")
    return found


def _damaged(where: str, found: str) -> SamerunError:
    return DamageError(
        "SR-DATA-028",
        f"{printable(where)} is not the manifest that was written",
        evidence=[printable(found)],
        do="restore the file from a copy, or make it again: samerun data manifest PATH -o FILE",
    )


# -- JSON lines --------------------------------------------------------------------------------------------------------


def to_jsonl(manifest: Manifest) -> bytes:
    """Return the bytes of a .jsonl file."""
    body = canonical_bytes(_head(manifest)) + b"\n" + "".join(map(_row, manifest.entries)).encode()
    last = {"digest": manifest.digest, "num_entries": len(manifest.entries), "sum": sha256(body).hexdigest()}
    return body + canonical_bytes(last) + b"\n"


def _row(entry: Entry) -> str:
    """Spell an entry as canonical JSON does, keys sorted; in one go, since there may be millions."""
    name, size, digest, label, group, time, split = entry
    return (
        ("{" if group is None else f'{{"group":{spelled(group)},')
        + f'"id":{spelled(name)},'
        + ("" if label is None else f'"label":{spelled(label)},')
        + f'"sha256":"{digest}","size":{size}'
        + ("" if split is None else f',"split":{spelled(split)}')
        + ("}\n" if time is None else f',"time":{spelled(time)}}}\n')
    )


def _of_jsonl(data: bytes, where: str) -> Manifest:
    if data[-1:] != b"\n":
        raise _damaged(where, "it ends in the middle of a line")
    end = data.rfind(b"\n", 0, -1) + 1
    body, last = data[:end], parse_json(data[end:], where)
    if not isinstance(last, dict) or "sum" not in last:
        raise _damaged(where, "its last line, with the digests, is missing")
    if last["sum"] != sha256(body).hexdigest():
        raise _damaged(where, "its lines are not those that were written")
    lines = body.decode().split("\n")
    entries = [_entry(row) for row in json.loads(f"[{','.join(lines[1:-1])}]")]
    if last["num_entries"] != len(entries):
        raise _damaged(where, f"{len(entries)} entries, of {last['num_entries']}")
    return _manifest(json.loads(lines[0]), entries, last["digest"], where)


def _entry(row: Mapping[str, Any]) -> Entry:
    return Entry(row["id"], row["size"], row["sha256"], *(row.get(name) for name in COLUMNS[3:]))


# -- Parquet -----------------------------------------------------------------------------------------------------------


def _to_parquet(manifest: Manifest) -> bytes:
    pyarrow, parquet = _pyarrow()
    kinds = [pyarrow.string(), pyarrow.int64(), *[pyarrow.string()] * (len(COLUMNS) - 2)]
    facts = {**_head(manifest), "digest": manifest.digest, "num_entries": len(manifest.entries)}
    schema = pyarrow.schema(list(zip(COLUMNS, kinds, strict=True)), metadata={_KEY: canonical_bytes(facts)})
    columns = list(zip(*manifest.entries, strict=True)) or [()] * len(COLUMNS)
    table = pyarrow.table([list(column) for column in columns], schema=schema)
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def _of_parquet(data: bytes, where: str) -> Manifest:
    pyarrow, parquet = _pyarrow()
    try:
        table = parquet.read_table(pyarrow.BufferReader(data))
    except (pyarrow.ArrowException, OSError) as problem:
        raise _damaged(where, str(problem).splitlines()[0]) from problem
    facts = json.loads((table.schema.metadata or {})[_KEY])
    if facts["num_entries"] != table.num_rows:
        raise _damaged(where, f"{table.num_rows} entries, of {facts['num_entries']}")
    columns: Iterator[list[Any]] = (table[name].to_pylist() for name in COLUMNS)
    return _manifest(facts, [Entry(*row) for row in zip(*columns, strict=True)], facts["digest"], where)


def _pyarrow() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as problem:
        raise no_pyarrow(problem) from problem
    return pyarrow, parquet
