"""A member is read twice and is the same both times, or there is no bundle."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from samerun.errors import DamageError, LockedError
from samerun.record.bundle.members import member_of_bytes, member_of_file, read_blocks


def test_a_file_and_the_same_bytes_in_memory_are_one_member(tmp_path: Path) -> None:
    data = os.urandom(3 << 20)
    (tmp_path / "x").write_bytes(data)
    made = member_of_file("run/x", tmp_path / "x")
    assert made == member_of_bytes("run/x", data) and b"".join(made.blocks()) == data
    assert max(map(len, made.blocks())) == 1 << 20


@pytest.mark.parametrize("other", [b"", b"ab", b"abd", b"abcd" * 1_000_000])
def test_a_file_that_changed_since_it_was_read_is_refused(tmp_path: Path, other: bytes) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    made = member_of_file("run/x", tmp_path / "x")
    (tmp_path / "x").write_bytes(other)
    with pytest.raises(LockedError, match="SR-BUNDLE-006") as caught:
        list(made.blocks())
    assert caught.value.exit_code == 7


def test_links_pipes_and_folders_are_no_members(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "gone"):
        with pytest.raises(DamageError, match="SR-BUNDLE-004"):
            list(read_blocks(tmp_path / name))
