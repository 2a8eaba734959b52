"""What lies in a folder of data, and what was left out of it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from unicodedata import normalize

import pytest

from samerun.data.scan import WAYS, scan
from samerun.errors import MissingError, RefusedError


def ids(folder: Path, **options: bool) -> list[str]:
    return [file.id for file in scan(folder, **options).files]


def left_out(folder: Path, **options: bool) -> dict[str, str]:
    return {one.id: one.reason for one in scan(folder, **options).left_out}


def test_files_are_listed_by_name_whatever_the_disk_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b.txt", "a/z.txt", "a/10.txt", "a/2.txt", ".hidden", "a.txt", "ä.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    wanted = [".hidden", "a.txt", "a/10.txt", "a/2.txt", "a/z.txt", "b.txt", "ä.txt"]
    assert ids(tmp_path) == wanted
    real = os.scandir

    class Reversed:
        def __init__(self, folder: int) -> None:
            with real(folder) as entries:
                self.entries = list(entries)[::-1]

        def __enter__(self) -> object:
            return iter(self.entries)

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(os, "scandir", Reversed)
    assert ids(tmp_path) == wanted


def test_a_file_lists_itself_also_through_a_link_and_nothing_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    (tmp_path / "link").symlink_to("x")
    assert ids(tmp_path / "x") == ["x"] and ids(tmp_path / "link") == ["link"]
    for name in ("y", "link/y"):
        with pytest.raises(MissingError, match="SR-DATA-015"):
            scan(tmp_path / name)


def test_names_have_one_unicode_form_and_two_that_become_one_are_refused(tmp_path: Path) -> None:
    composed, apart = normalize("NFC", "é/ü.txt"), normalize("NFD", "é/ü.txt")
    assert composed != apart
    (tmp_path / apart).parent.mkdir()
    (tmp_path / apart).write_text("x")
    assert ids(tmp_path) == [composed]
    (tmp_path / composed).parent.mkdir()
    (tmp_path / composed).write_text("y")
    with pytest.raises(RefusedError, match="SR-DATA-021") as caught:
        scan(tmp_path)
    assert "u\\u0308" in caught.value.evidence[0] and "\\xfc" in caught.value.evidence[0]


def test_what_is_no_readable_file_of_the_folder_is_left_out_by_name(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "deep").mkdir(parents=True)
    (data / "deep" / "real").write_text("x")
    (tmp_path / "secret").write_text("x")
    os.mkfifo(data / "pipe")
    with socket.socket(socket.AF_UNIX) as unix:
        os.chdir(data)
        unix.bind("socket")
    (data / "nowhere").symlink_to("gone")
    (data / "out").symlink_to(tmp_path / "secret")
    (data / "outside").symlink_to(tmp_path)
    (data / "deep" / "up").symlink_to("..")
    (data / "self").symlink_to("self")
    (data / "caf\udce9").write_text("x")
    (data / "caf\udce9s").mkdir()
    assert ids(data) == ["deep/real"]
    assert left_out(data) == {
        "pipe": "no regular file",
        "socket": "no regular file",
        "nowhere": "a link to nothing: No such file or directory",
        "out": "a link out of the folder",
        "outside": "a link out of the folder",
        "deep/up": "a link in a circle",
        "self": "a link in a circle",
        "caf\\udce9": "its name is not UTF-8",
        "caf\\udce9s": "its name is not UTF-8",
    }
    # Outside lies the folder itself: a circle that is only seen from there.
    assert ids(data, follow_links=True) == ["deep/real", "out", "outside/secret"]
    assert left_out(data, follow_links=True)["outside/data"] == "a link in a circle"


def test_links_inside_of_the_folder_are_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x").write_text("x")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "y").symlink_to("a/x")
    assert ids(tmp_path) == ["a/x", "b/x", "y"] and left_out(tmp_path) == {}


def test_links_out_of_the_folder_are_followed_where_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "1").write_text("x")
    data = tmp_path / "data"
    data.mkdir()
    (data / "x").symlink_to(tmp_path / "store" / "1")
    (data / "all").symlink_to(tmp_path / "store")
    (tmp_path / "store" / "back").symlink_to(tmp_path / "data")
    assert ids(data, follow_links=True) == ["all/1", "x"]
    assert left_out(data, follow_links=True) == {"all/back": "a link in a circle"}


def test_a_maze_of_links_ends(tmp_path: Path) -> None:
    for name in map(str, range(8)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x").write_text("x")
        for other in map(str, range(8)):
            if other != name:
                (tmp_path / name / f"to-{other}").symlink_to(f"../{other}")
    found = scan(tmp_path)
    assert len(found.files) <= 8 * (WAYS + 1)
    assert any(f"{WAYS} others" in one.reason for one in found.left_out)


UNREADABLE = """
import os, sys
from samerun.data.manifest import manifest
os.setgroups([]); os.setgid(65534); os.setuid(65534)
found = manifest(sys.argv[1], cache=False)
print([entry.id for entry in found.entries], [(one.id, one.reason) for one in found.left_out])
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody who may not read")
def test_what_may_not_be_read_is_left_out_by_name() -> None:
    # Not below tmp_path, which nobody else may enter.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chmod(folder, 0o755)
        (folder / "closed").mkdir(mode=0o700)
        (folder / "open.txt").write_text("x")
        (folder / "secret.txt").write_text("x")
        os.chmod(folder / "secret.txt", 0o600)
        done = subprocess.run([sys.executable, "-c", UNREADABLE, name], capture_output=True, text=True)
    assert done.stdout.strip() == (
        "['open.txt'] [('closed', 'it cannot be read: Permission denied'),"
        " ('secret.txt', 'it cannot be read: Permission denied')]"
    ), done.stderr
