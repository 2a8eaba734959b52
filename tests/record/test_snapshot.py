"""A snapshot is its content, and reading one back can write nowhere but below its target."""

import io
import os
import tarfile
from pathlib import Path

import pytest

from samerun.errors import DamageError
from samerun.record.snapshot import read_tar, snapshot_tar

CONTENTS = {"user/train.py": b"import net\n", "user/net.py": b"", "own/samerun/" + "x" * 150 + ".py": "é".encode()}


def test_equal_contents_give_equal_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = snapshot_tar(CONTENTS)
    os.umask(os.umask(0o077))
    assert snapshot_tar(dict(reversed(CONTENTS.items()))) == first
    assert read_tar(first, "here") == CONTENTS


def test_nothing_of_the_machine_is_in_it() -> None:
    with tarfile.open(fileobj=io.BytesIO(snapshot_tar(CONTENTS))) as tar:
        for member in tar:
            assert (member.mtime, member.uid, member.gid, member.uname, member.gname) == (0, 0, 0, "", "")
            assert member.mode == 0o644


def packed(*members: tuple[str, bytes, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, kind, target in members:
            member = tarfile.TarInfo(name)
            member.type = kind
            member.linkname = target
            tar.addfile(member)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        packed(("../x", tarfile.REGTYPE, "")),
        packed(("a/../../x", tarfile.REGTYPE, "")),
        packed(("/etc/x", tarfile.REGTYPE, "")),
        packed(("a//x", tarfile.REGTYPE, "")),
        packed(("a\\x", tarfile.REGTYPE, "")),
        packed(("C:x", tarfile.REGTYPE, "")),
        packed(("x", tarfile.SYMTYPE, "/etc/passwd")),
        packed(("x", tarfile.LNKTYPE, "y")),
        packed(("x", tarfile.DIRTYPE, "")),
        packed(("x", tarfile.FIFOTYPE, "")),
        packed(("x", tarfile.CHRTYPE, "")),
        packed(("x", tarfile.REGTYPE, ""), ("x", tarfile.REGTYPE, "")),
        b"",
        b"no tar at all" * 100,
        snapshot_tar(CONTENTS)[:700],
    ],
)
def test_what_could_leave_its_place_is_refused_whole(data: bytes) -> None:
    with pytest.raises(DamageError, match="SR-RECORD-024"):
        read_tar(data, "here")


@pytest.mark.parametrize("label", ["", "/x", "../x", "a/./b", "a\\b", "x:y", "a/"])
def test_a_label_that_could_leave_is_never_packed(label: str) -> None:
    with pytest.raises(ValueError):
        snapshot_tar({label: b""})


def test_a_sparse_file_that_claims_any_size_is_refused_before_it_is_read() -> None:
    out = io.BytesIO()
    member = tarfile.TarInfo("x")
    claim = {"major": "1", "minor": "0", "name": "x", "realsize": str(1 << 40)}
    member.pax_headers = {f"GNU.sparse.{key}": value for key, value in claim.items()}
    member.size = 512
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(member, io.BytesIO(b"0\n".ljust(512, b"\0")))
    with pytest.raises(DamageError, match="SR-RECORD-024"):
        read_tar(out.getvalue(), "here")
