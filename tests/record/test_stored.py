"""What is kept of each file, under which name, and what its row says."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.base.digest import sha256
from samerun.record.left_out import MODULE_LIMIT
from samerun.record.source import SourceFile
from samerun.record.stored import stored_files, stored_name, why_not_whole

TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"


def file(group: str, label: str, data: bytes | None, **more: object) -> SourceFile:
    content = sha256(data or b"")
    return SourceFile(group, label, "bytes", content, content, len(data or b""), text=data, **more)  # type: ignore[arg-type]


def test_each_group_has_a_place_of_its_own() -> None:
    groups = {"user": "user/x.py", "rule": "rule/x.py", "samerun": "own/x.py", "timm": "packages/x.py"}
    assert {group: stored_name(file(group, "x.py", b"")) for group in groups} == groups


def test_all_of_the_project_is_kept_and_of_packages_the_python_files() -> None:
    files = [file("user", "ext.so", b"\x7fELF\xff"), file("timm", "timm/a.py", b"x"), file("timm", "timm/w.bin", b"x")]
    stored = stored_files(files)
    assert stored.contents == {"user/ext.so": b"\x7fELF\xff", "packages/timm/a.py": b"x"}
    assert stored.is_whole("user/ext.so") and not stored.rows["packages/timm/w.bin"]["is_stored"]


def test_a_secret_is_left_out_of_what_is_kept_and_of_no_digest() -> None:
    text = f"login({TOKEN!r})\n".encode()
    stored = stored_files([file("user", "a.py", text), file("rule", "a.yaml", f"token: {TOKEN}\n".encode())])
    for name, data in stored.contents.items():
        assert TOKEN.encode() not in data and not stored.is_whole(name) and stored.rows[name]["num_redacted"] == 1
    assert stored.rows["user/a.py"]["content"] == sha256(text)


def test_our_own_source_is_kept_as_it_is() -> None:
    text = f"SHAPE = {TOKEN!r}\n".encode()
    assert stored_files([file("samerun", "a.py", text)]).contents == {"own/a.py": text}


def test_a_link_that_tells_a_place_of_this_machine_is_not_written_down() -> None:
    rows = stored_files(
        [file("user", "a.py", b"", link="../b.py"), file("user", "c.py", b"", link="/home/me/d.py")]
    ).rows
    assert (rows["user/a.py"]["link"], rows["user/c.py"]["link"]) == ("../b.py", None)


def test_a_large_module_is_named_and_not_kept(tmp_path: Path) -> None:
    large = SourceFile("user", "a.so", "bytes", "sha256:1", "sha256:1", MODULE_LIMIT + 1, tmp_path / "a.so")
    assert stored_files([large]).contents == {} and not stored_files([large]).is_whole("user/a.so")


def test_a_package_that_was_written_since_is_not_kept_as_what_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("new\n")
    one = SourceFile("timm", "timm/a.py", "python", "sha256:1", sha256(b"old\n"), 4, tmp_path / "a.py")
    assert stored_files([one]).contents == {}


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"num_redacted": 1, "is_stored": True, "size_bytes": 1}, "a secret that stood in it was not stored"),
        ({"num_redacted": 0, "is_stored": True, "size_bytes": 1}, "stored with other bytes"),
        ({"num_redacted": 0, "is_stored": False, "size_bytes": 1}, "not stored"),
        ({"num_redacted": 0, "is_stored": False, "size_bytes": MODULE_LIMIT + 1}, "too large to be stored"),
    ],
)
def test_a_row_says_why_its_file_cannot_be_had_again(row: dict[str, object], why: str) -> None:
    assert why_not_whole(row) == why
