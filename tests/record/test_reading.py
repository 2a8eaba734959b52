"""A source file is read at one instant, and nothing but a plain file is opened."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from samerun.errors import UsageError
from samerun.record.reading import EXECUTABLE, PLAIN, mark_of, read_file


def test_a_file_is_its_bytes_its_mode_and_where_its_link_leads(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = 1\r\n")
    (tmp_path / "b.py").symlink_to("a.py")
    plain, link = read_file(tmp_path / "a.py"), read_file(tmp_path / "b.py")
    assert (plain.data, plain.mode, plain.link) == (b"x = 1\r\n", PLAIN, None)
    assert (link.data, link.mode, link.link) == (b"x = 1\r\n", PLAIN, "a.py")
    (tmp_path / "a.py").chmod(0o700)
    assert read_file(tmp_path / "a.py").mode == EXECUTABLE


def test_a_mark_moves_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    before = read_file(path).mark
    assert mark_of(path) == before
    path.write_text("x = 22\n")
    assert mark_of(path) != before
    path.unlink()
    assert mark_of(path) is None


def test_a_pipe_a_socket_and_a_folder_are_refused_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    place = socket.socket(socket.AF_UNIX)
    os.chdir(tmp_path)
    place.bind("socket.py")
    for name in ("pipe.py", "folder.py", "socket.py"):
        with pytest.raises(UsageError, match="SR-SOURCE-002"):
            read_file(tmp_path / name)
    place.close()


def test_links_in_a_circle_and_what_the_system_refuses_have_a_reason(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to("b.py")
    (tmp_path / "b.py").symlink_to("a.py")
    (tmp_path / "memory.py").symlink_to("/proc/self/mem")
    for name in ("a.py", "memory.py"):
        with pytest.raises(UsageError, match="SR-SOURCE-002"):
            read_file(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "nowhere.py")
