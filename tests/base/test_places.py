"""What a record shows of paths, users and hosts: nothing that only this machine has, and still two places stay two."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from samerun.base.places import hide_paths, is_local_path, shown_bytes, shown_path, shown_text, shown_tree

HOME = "/home/alicia"


@pytest.fixture(autouse=True)
def of_alicia(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("HOME", HOME)
    monkeypatch.setenv("USER", "alicia")
    monkeypatch.setenv("LOGNAME", "alicia")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (f"{HOME}/data/v1", "[local path]/~/data/v1"),
        (HOME, "[local path]/~"),
        ("/data/imagenet/v1", "[local path]/data/imagenet/v1"),
        ("/scratch/alicia/x", "[local path]/scratch/[user]/x"),
        ("~/data", "[local path]/~/data"),
        (r"C:\Users\alicia\x", "[local path]/Users/[user]/x"),
        (f"file:{HOME}/token", "file:[local path]/~/token"),
    ],
)
def test_a_path_is_shown_without_what_only_this_machine_has(path: str, shown: str) -> None:
    assert is_local_path(path)
    assert shown_path(path) == shown


def test_two_places_stay_two(of_alicia: Path) -> None:
    places = [
        f"{HOME}/mnt/a",
        f"{of_alicia}/a",
        f"{of_alicia}/~/a",
        "/a",
        "/tmp/a",
        "~bob/a",
        f"{HOME}/a",
        f"{HOME}/b",
        "/data/v1/x",
        "/data/v2/x",
        f"{HOME}/a/b",
        "/mnt/a",
    ]
    assert len({shown_path(place) for place in places}) == len(places)


@pytest.mark.parametrize(
    "text", ["data/x", "a/b", "https://h/x", "//h/x", "/", "", "x /data/y", "file:token", "train/loss"]
)
def test_what_is_no_absolute_path_is_none(text: str) -> None:
    assert not is_local_path(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"No such file: '{HOME}/data/x.csv'", "No such file: '[local path]/data/x.csv'"),
        ("No such file: '/data/set/x.csv'", "No such file: '[local path]/x.csv'"),
        ("mounted at /data, here", "mounted at [local path], here"),
        ("--data=/data/set/x --lr 3", "--data=[local path]/x --lr 3"),
        ("read file:///srv/set/x.csv now", "read file://[local path]/x.csv now"),
        ("gcc -I/opt/set/inc -L/opt/set", "gcc -I[local path]/inc -L[local path]/set"),
        (r"'gone\n/srv/set/x.csv'", r"'gone\n[local path]/x.csv'"),
        ("https://h/tmp/x and runs/tmp/x", "https://h/tmp/x and runs/tmp/x"),
        ("alicia cannot write", "[user] cannot write"),
        ("https://h/a/b?c=/d and/or train/loss 1/2 m/s", "https://h/a/b?c=/d and/or train/loss 1/2 m/s"),
        ("every 3 steps /s", "every 3 steps /s"),
    ],
)
def test_a_message_keeps_its_words(text: str, shown: str) -> None:
    assert shown_text(text) == shown
    assert shown_text(shown) == shown


def test_the_folders_that_everybody_has_are_marks(of_alicia: Path) -> None:
    for root in (str(of_alicia), sys.prefix):
        assert shown_text(f'File "{root}/lib/x.py", line 3') == 'File "[local path]/lib/x.py", line 3'
    assert shown_text(f"{HOME}lia is another's") == shown_text(f"{HOME}lia is another's")


def test_the_host_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "gpu-box-17.example.org")
    monkeypatch.setenv("USER", "another1")  # names are looked up anew for another user
    assert shown_text("gpu-box-17.example.org refused; gpu-box-17 too") == "[host] refused; [host] too"


def test_a_tree_is_shown_whole_and_paths_alone_are_kept_by_their_place() -> None:
    tree = {"a": [f"{HOME}/x", 1, None], "b": {"c": "see /data/x/y"}}
    assert shown_tree(tree) == {"a": ["[local path]/x", 1, None], "b": {"c": "see [local path]/y"}}
    assert hide_paths(tree) == (
        {"a": ["[local path]/~/x", 1, None], "b": {"c": "see /data/x/y"}},
        {("a", 0): f"{HOME}/x"},
    )


def test_the_folders_of_this_process_go_among_other_words_too(of_alicia: Path) -> None:
    tree = {"a": f"python {HOME}/x.py --at={of_alicia}/y:{HOME}", "b": "GET /api/v1 at host/tmp/x", "c": f"{HOME}lia"}
    wanted = "python [local path]/~/x.py --at=[local path]/./y:[local path]/~"
    assert hide_paths(tree) == ({**tree, "a": wanted, "c": "[local path]/home/alicialia"}, dict(_places(tree)))


def _places(tree: dict[str, str]) -> list[tuple[tuple[str], str]]:
    return [((name,), tree[name]) for name in ("a", "c")]


def test_bytes_that_hold_no_path_stay_the_same_object() -> None:
    data = b"trainer: supervised\n"
    assert shown_bytes(data) is data
    assert shown_bytes(b"path: /data/set/x\n") == b"path: [local path]/x\n"
    assert shown_bytes(b"\xff\xfe/data/x") == b"\xff\xfe/data/x"


def test_a_long_text_takes_time_in_proportion() -> None:
    for unit in ("/a", "/ ", "~/", "C:\\", "/home/alicia"):
        shown_text(unit * 100_000)
