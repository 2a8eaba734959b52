"""The chain of sums through a log, and the walk along it: a row is canonical JSON whose last key is "sum".

The sum is the first 16 hex characters of SHA-256 over the previous sum and the row without it, so a row that was
edited, dropped, swapped or doubled breaks the chain; only a last line without its newline counts as torn. A log goes on
in a further part at 64 MB, and so does its chain. Writing is in rows.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256 as hashlib_sha256
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

from samerun.errors import DamageError
from samerun.record import layout

_SUM_HEX: Final = 16
_OPEN: Final = b',"sum":"'
_CLOSE: Final = b'"}\n'
_SUFFIX: Final = len(_OPEN) + _SUM_HEX + len(_CLOSE)


@dataclass(frozen=True, slots=True)
class LogMark:
    """A position in a log: `rows` rows before it, the last of them with `sum`, at byte `bytes` of part `part`."""

    bytes: int
    rows: int
    sum: str
    part: int = 0

    def as_json(self) -> dict[str, Any]:
        """Give the mark as it stands in checkpoint.json and manifest.json."""
        return {"bytes": self.bytes, "part": self.part, "rows": self.rows, "sum": self.sum}

    @classmethod
    def from_json(cls, value: Any, where: str) -> Self:
        """Read what as_json gave. Raises DamageError SR-RECORD-016 for anything else."""
        if isinstance(value, dict) and set(value) == {"bytes", "part", "rows", "sum"}:
            counts = [value["bytes"], value["rows"], value["part"]]
            if all(type(count) is int and count >= 0 for count in counts) and type(value["sum"]) is str:
                return cls(bytes=value["bytes"], rows=value["rows"], sum=value["sum"], part=value["part"])
        raise DamageError(
            "SR-RECORD-016",
            f"{where}: this is not a position in a log",
            evidence=[f"found: {value!r:.200}", "wanted: bytes, part, rows and sum"],
            do="samerun verify RUN --files",
        )


def start_mark(name: str) -> LogMark:
    """Position before the first row of the log `name`; its sum starts the chain, so logs cannot stand in for others."""
    return LogMark(bytes=0, rows=0, sum=hashlib_sha256(f"samerun.rows/1 {name}".encode()).hexdigest()[:_SUM_HEX])


def chained(mark: LogMark, body: bytes) -> tuple[bytes, str]:
    """Give (line to be written after `mark`, its sum) for a row's canonical JSON, which has at least one key."""
    digest = hashlib_sha256(mark.sum.encode("ascii") + body).hexdigest()[:_SUM_HEX]
    return body[:-1] + _OPEN + digest.encode("ascii") + _CLOSE, digest


def walk_rows(folder: Path, name: str, *, until: LogMark | None = None) -> Iterator[tuple[LogMark, bytes]]:
    """Yield (position after the row, its JSON bytes without the sum) for each verified row.

    Works while the log is being written; a torn last line is left out. With `until` it stops there, and a log that does
    not reach that very position is damage. Raises DamageError SR-RECORD-010 to -014.
    """
    at = start_mark(name)
    while at != until:
        is_last = not _has_part_after(folder, name, at.part)
        for after, body in _walk_part(folder, name, at, is_last=is_last):
            yield after, body
            at = after
            if until is not None and at.rows >= until.rows:
                break
        if until is not None and at.rows >= until.rows and at.part >= until.part:
            break
        if not is_last:
            at = LogMark(0, at.rows, at.sum, at.part + 1)
        elif not _has_part_after(folder, name, at.part):
            break
        # Otherwise the writer went on in a further part meanwhile: read the rest of this one first.
    if until is not None and at != until:
        raise _not_at(folder, name, at, until)


def _has_part_after(folder: Path, name: str, part: int) -> bool:
    return any(other > part for other in layout.log_parts(folder, name))


def _walk_part(folder: Path, name: str, at: LogMark, *, is_last: bool) -> Iterator[tuple[LogMark, bytes]]:
    path = folder / layout.log_part_name(name, at.part)
    if is_last and at.part == 0 and not path.is_file():
        return
    with _open_part(path, at) as lines:
        lines.seek(at.bytes)
        for line in lines:
            if line[-1:] != b"\n":
                if is_last:
                    return
                raise _broken(path, at.rows, "SR-RECORD-011", "a part that others follow ends in the middle of a row")
            body = line[:-_SUFFIX] + b"}"
            wanted, digest = chained(at, body)
            if line != wanted:
                raise _broken(path, at.rows, "SR-RECORD-010", "the row does not carry the sum that its bytes give")
            at = LogMark(at.bytes + len(line), at.rows + 1, digest, at.part)
            yield at, body


def _open_part(path: Path, at: LogMark) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise _broken(path, at.rows, "SR-RECORD-012", "this part of the log is missing") from None


def _broken(path: Path, rows: int, code: str, what: str) -> DamageError:
    return DamageError(
        code,
        f"{path.name}: {what}",
        evidence=[f"file: {path}", f"row {rows + 1} of the log; the {rows} before it are whole"],
        do="samerun verify RUN --files",
    )


def _not_at(folder: Path, name: str, found: LogMark, wanted: LogMark) -> DamageError:
    path = folder / layout.log_part_name(name, wanted.part)
    if found.rows < wanted.rows:
        code, what = "SR-RECORD-013", "the log is shorter than the length that was stored for it"
    else:
        code, what = "SR-RECORD-014", "the log is not the one that a position was stored for"
    return DamageError(
        code,
        f"{path.name}: {what}",
        evidence=[f"file: {path}", f"stored: {_spell(wanted)}", f"found: {_spell(found)}"],
        do="samerun resume RUN --fallback",
    )


def _spell(mark: LogMark) -> str:
    return f"{mark.rows} rows, {mark.bytes} bytes in part {mark.part}, sum {mark.sum}"
