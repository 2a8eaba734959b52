"""Lock and requirement files: found by name, digested, without a secret, whatever lies under the name."""

from __future__ import annotations

import os
from pathlib import Path

from samerun.base.digest import sha256
from samerun.record.lock_files import PATTERNS, lock_files

TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"


def test_each_kind_is_found_and_nothing_else(tmp_path: Path) -> None:
    wanted = {pattern.replace("*", "-dev") if "pylock" not in pattern else pattern for pattern in PATTERNS}
    wanted = {name.replace("*", "gpu") for name in wanted}
    for name in [*wanted, "train.py", "Requirements.md", ".env", "notes.txt"]:
        (tmp_path / name).write_text(name)
    assert set(lock_files(tmp_path)) == wanted


def test_a_file_is_told_by_its_size_and_digest(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_bytes(b"version = 1\n")
    assert lock_files(tmp_path) == {
        "uv.lock": {"size_bytes": 12, "digest": sha256(b"version = 1\n"), "is_redacted": False, "reason": None}
    }


def test_no_digest_lets_anyone_test_a_password(tmp_path: Path) -> None:
    digests = set()
    for password in ("hunter2", "hunter3"):
        text = f"--index-url https://me:{password}@example.org/simple\nnumpy==2.4.6\n# {TOKEN}\n"
        (tmp_path / "requirements.txt").write_text(text)
        facts = lock_files(tmp_path)["requirements.txt"]
        assert facts["is_redacted"] is True
        digests.add(facts["digest"])
    assert len(digests) == 1


def test_a_package_whose_name_sounds_like_a_secret_is_none(tmp_path: Path) -> None:
    for version in ("1.5.0", "1.6.0"):
        (tmp_path / "requirements.txt").write_text(f"detect-secrets=={version}\nkeyring==25.1.0 ; os_name == 'posix'\n")
        (tmp_path / "pyproject.toml").write_text(f'detect-secrets = "^{version}"\n')
        assert not any(facts["is_redacted"] for facts in lock_files(tmp_path).values())


def test_what_cannot_be_read_has_its_reason(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").mkdir()
    os.mkfifo(tmp_path / "requirements.txt")
    (tmp_path / "poetry.lock").symlink_to("gone")
    (tmp_path / os.fsdecode(b"requirements-\xff.txt")).write_text("")
    found = lock_files(tmp_path)
    assert {name for name, facts in found.items() if facts["digest"] is None} == {
        "uv.lock",
        "requirements.txt",
        "poetry.lock",
    }
    assert found["uv.lock"]["reason"] == "it is no file" and "requirements-\\udcff.txt" in found
    assert lock_files(tmp_path / "gone") == {}
