"""`bundle`: a small run with one file of every kind, packed; `hostile`: archives that no `pack` writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from samerun.record.bundle import spelling
from samerun.record.bundle.chosen import choose_files
from samerun.record.bundle.index import BundleIndex
from samerun.record.bundle.members import member_of_bytes
from samerun.record.bundle.names import INDEX
from samerun.record.bundle.packing import Packing, gather, write_bundle
from samerun.record.reader import RunRecord


@pytest.fixture
def packing(make_run: Callable[..., Path]) -> Packing:
    """The bundle of a run of three steps, not yet written."""
    record = RunRecord.open(make_run())
    return gather(record, choose_files(record), {})


@pytest.fixture
def bundle(packing: Packing, tmp_path: Path) -> Path:
    """The same as a file."""
    path = tmp_path / "run.samerun.zip"
    write_bundle(packing, path)
    return path


@pytest.fixture
def hostile(tmp_path: Path) -> Callable[..., Path]:
    """Write an archive of these members, spelt and indexed as a bundle, whatever they are called."""

    def write(
        members: Mapping[str, bytes] | Sequence[tuple[str, bytes]], *, listed: Mapping[str, bytes] | None = None
    ) -> Path:
        pairs = list(members.items()) if isinstance(members, Mapping) else list(members)
        index = BundleIndex(
            "digits",
            "0123abcd",
            {name: member_of_bytes(name, data).facts for name, data in (listed or dict(pairs)).items()},
        )
        made = [member_of_bytes(INDEX, index.as_bytes()), *(member_of_bytes(name, data) for name, data in pairs)]
        entries = [member.entry for member in made]
        path = tmp_path / "hostile.samerun.zip"
        data = b"".join(p.header + m.data for p, m in zip(spelling.places(entries), made, strict=True))
        path.write_bytes(data + spelling.ending(entries))
        return path

    return write
