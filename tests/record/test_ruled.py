"""Files that rules name are read to be stored, or left out with a reason; no link leads out of the project."""

from __future__ import annotations

import os
from pathlib import Path

from samerun.record import left_out
from samerun.record.ruled import Ruled, ruled_files
from samerun.record.rules import Rules
from samerun.record.source import RULE


def ruled(root: Path, *patterns: str) -> Ruled:
    return ruled_files(root, Rules(patterns or ("**",)), set())


def reasons(found: Ruled) -> dict[str, str]:
    assert all(row.counts for row in found.left_out)
    return {row.path: row.reason.removeprefix("named by a rule: ") for row in found.left_out}


def test_a_file_is_kept_with_its_mode_and_is_no_fact(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("echo\n")
    (tmp_path / "run.sh").chmod(0o755)
    (file,) = ruled(tmp_path).files
    assert (file.group, file.label, file.why, file.mode, file.text) == (RULE, "run.sh", "rule", "100755", b"echo\n")


def test_modules_that_are_imported_have_rows_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("")
    assert ruled_files(tmp_path, Rules(("**",)), {tmp_path / "net.py"}) == Ruled()


def test_what_cannot_be_stored_is_left_out_with_a_reason(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "outside.txt").write_text("canary")
    (root / "out").symlink_to("../outside.txt")
    (root / "circle").symlink_to("circle")
    (root / "gone").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    (root / ".env").write_text("A=canary")
    with (root / "large").open("wb") as file:
        file.truncate(left_out.FILE_LIMIT + 1)
    (root / os.fsdecode(b"caf\xe9")).write_text("x")
    found = ruled(root)
    assert found.files == ()
    assert reasons(found) == {
        "out": "a link that leaves the project",
        "circle": "a link that leads nowhere, or in a circle",
        "gone": "a link that leads nowhere, or in a circle",
        "pipe": left_out.NOT_PLAIN,
        ".env": left_out.SECRET_NAME,
        "large": left_out.TOO_LARGE,
        '"caf\\351"': "a name that no snapshot can hold",
    }


def test_many_files_are_left_out_from_the_largest_on(tmp_path: Path) -> None:
    for name in "abc":
        with (tmp_path / name).open("wb") as file:
            file.truncate(left_out.ALL_LIMIT // 3 + ord(name) * 1000)
    found = ruled(tmp_path)
    assert reasons(found) == {"c": left_out.TOO_MUCH} and [file.label for file in found.files] == ["a", "b"]
