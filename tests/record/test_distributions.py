"""What is recorded of installed distributions: enough to tell two environments apart, nothing of where they lie."""

from __future__ import annotations

import importlib.metadata
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from samerun.record.distributions import LOCAL_PATH, distributions, origin_of_distribution, record_digest

RECORD = b"""\
../../../bin/tool,sha256=AAAA,200
pack/__init__.py,sha256=BBBB,10
pack/__pycache__/__init__.cpython-311.pyc,,
pack-1.0.dist-info/INSTALLER,sha256=CCCC,4
pack-1.0.dist-info/METADATA,sha256=DDDD,50
pack-1.0.dist-info/RECORD,,
pack-1.0.dist-info/direct_url.json,sha256=EEEE,60
"""
FOLDER = "pack-1.0.dist-info"


def installed(place: Path, folder: str = FOLDER, **files: str | bytes) -> dict[str, Any]:
    (place / folder).mkdir(parents=True)
    for name, text in files.items():
        (place / folder / name.replace("__", ".")).write_bytes(text.encode() if isinstance(text, str) else text)
    (facts,) = distributions([str(place)]).values()
    return facts


def test_distributions_are_those_that_import_would_find() -> None:
    found = distributions(sys.path)
    for distribution in importlib.metadata.distributions():
        name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower()
        assert found[name]["version"] == distribution.version


def test_the_first_distribution_on_the_path_wins(tmp_path: Path) -> None:
    for folder, version in (("a", "1.0"), ("b", "2.0")):
        (tmp_path / folder / f"My_Package-{version}.dist-info").mkdir(parents=True)
    (tmp_path / "b" / "other.thing-3-py3.11.egg-info").mkdir()
    found = distributions([str(tmp_path / "a"), str(tmp_path / "missing"), str(tmp_path / "b")])
    assert {name: facts["version"] for name, facts in found.items()} == {"my-package": "1.0", "other-thing": "3"}


def test_a_package_from_an_index_has_its_digest_and_who_installed_it(tmp_path: Path) -> None:
    assert installed(tmp_path, RECORD=RECORD, INSTALLER="uv\n") == {
        "version": "1.0",
        "is_editable": False,
        "installer": "uv",
        "record": record_digest(RECORD, FOLDER),
        "origin": None,
        "reason": None,
    }


def test_where_and_by_whom_it_was_installed_moves_no_digest() -> None:
    elsewhere = b"\r\n".join(
        line
        for line in reversed(RECORD.replace(b"AAAA", b"XXXX").replace(b"CCCC", b"YYYY").splitlines())
        if b"direct_url" not in line and not line.endswith(b".pyc,,")
    )
    assert record_digest(elsewhere, FOLDER) == record_digest(RECORD, FOLDER)


@pytest.mark.parametrize("file", [b"BBBB", b"DDDD", b"pack/__init__.py"])
def test_other_files_move_the_digest(file: bytes) -> None:
    assert record_digest(RECORD.replace(file, b"other"), FOLDER) != record_digest(RECORD, FOLDER)


def test_an_editable_install_has_no_digest_since_a_path_would_go_into_it(tmp_path: Path) -> None:
    origin = json.dumps({"url": "file:///home/canary/project", "dir_info": {"editable": True}})
    facts = installed(tmp_path, RECORD=RECORD, direct_url__json=origin)
    assert facts["is_editable"] is True and facts["record"] is None and "editable" in facts["reason"]
    assert facts["origin"] == {"url": LOCAL_PATH, "kind": "editable"} and "canary" not in json.dumps(facts)


@pytest.mark.parametrize(
    ("stored", "origin"),
    [
        (
            {
                "url": "https://someone:canary@example.org/a.git",
                "vcs_info": {"vcs": "git", "commit_id": "c0ffee", "requested_revision": "main"},
                "subdirectory": "python",
            },
            {
                "url": "https://example.org/a.git",
                "kind": "vcs",
                "vcs": "git",
                "commit": "c0ffee",
                "revision": "main",
                "subdirectory": "python",
            },
        ),
        (
            {"url": "https://canary@example.org/a-1.0.whl", "archive_info": {"hash": "sha256=ab"}},
            {"url": "https://example.org/a-1.0.whl", "kind": "archive", "hashes": {"sha256": "ab"}},
        ),
        (
            {"url": "file:///canary/a-1.0.whl", "archive_info": {"hashes": {"sha256": "ab"}}},
            {"url": LOCAL_PATH, "kind": "archive", "hashes": {"sha256": "ab"}},
        ),
        ({"url": "file:///canary/a", "dir_info": {}}, {"url": LOCAL_PATH, "kind": "directory"}),
    ],
)
def test_an_origin_is_told_without_user_and_place(stored: dict[str, Any], origin: dict[str, Any]) -> None:
    assert origin_of_distribution(json.dumps(stored).encode()) == origin


@pytest.mark.parametrize("text", [b"", b"\xff", b"[]", b'{"url": 3}', b'{"dir_info": {}}'])
def test_an_origin_that_cannot_be_read_is_none(text: bytes) -> None:
    assert origin_of_distribution(text) is None


def test_what_is_not_a_word_is_no_installer_and_a_missing_record_has_its_reason(tmp_path: Path) -> None:
    facts = installed(tmp_path, INSTALLER="/home/canary\n")
    assert facts["installer"] is None and facts["record"] is None and facts["reason"] == "it has no RECORD"
