"""Names of any bytes have one spelling in documents and one in patches, the one that git itself uses."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.record.git.names import in_patch, spelled

Git = Callable[..., str]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (b"a b.py", "a b.py"),
        ("é.py".encode(), "é.py"),
        (b"caf\xe9.py", '"caf\\351.py"'),
        (b"a\tb\n", '"a\\tb\\n"'),
        (b'"x"', '"\\"x\\""'),
        (b"a\\b", "a\\b"),
    ],
)
def test_a_name_is_spelled_as_it_is_where_it_can_be(name: bytes, text: str) -> None:
    assert spelled(name) == text


def test_two_names_are_never_spelled_alike() -> None:
    names = [b"caf\xe9", b'"caf\\351"', b"caf\\351", "café".encode(), b"caf\xe8"]
    assert len({spelled(name) for name in names}) == len(names)


@pytest.mark.parametrize("name", [b"caf\xe9", b"a b", b"a\tb", "é".encode(), b'q"', b"back\\slash", b"\x7f"])
def test_a_name_in_a_patch_is_spelled_as_git_does(repository: Path, git: Git, name: bytes) -> None:
    (repository / os.fsdecode(name)).write_text("x\n")
    git(repository, "add", ".")
    first = git(repository, "diff", "--cached").splitlines()[0]
    assert first.encode() == b"diff --git " + in_patch(b"a/" + name) + b" " + in_patch(b"b/" + name)
