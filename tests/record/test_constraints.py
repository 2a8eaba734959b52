"""Pins: each recorded distribution as the one requirement that it is, or the reason why there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from samerun.base.sealed import write_sealed
from samerun.errors import DamageError
from samerun.record import layout
from samerun.record.constraints import Pin, constraints_text, pins_of, read_environment
from samerun.record.distributions import LOCAL_PATH
from samerun.record.reader import RunRecord


def pin(name: str, version: str = "1.0", origin: Any = None) -> Pin:
    (found,) = pins_of({"distributions": {name: {"version": version, "origin": origin}}})
    return found


@pytest.mark.parametrize("version", ["2.13.0+cpu", "26.3", "1.0rc1", "2026.10.19.post1"])
def test_a_package_of_an_index_is_pinned_to_its_version(version: str) -> None:
    assert pin("torch", version).line == f"torch=={version}"


@pytest.mark.parametrize(
    ("origin", "line"),
    [
        (
            {"kind": "vcs", "vcs": "git", "url": "https://example.org/a.git", "commit": "c0ffee"},
            "pack @ git+https://example.org/a.git@c0ffee",
        ),
        (
            {"kind": "vcs", "vcs": "hg", "url": "https://example.org/a", "commit": "c0", "subdirectory": "py"},
            "pack @ hg+https://example.org/a@c0#subdirectory=py",
        ),
        (
            {"kind": "archive", "url": "https://example.org/a-1.0.whl", "hashes": {"md5": "1", "sha256": "ab"}},
            "pack @ https://example.org/a-1.0.whl#sha256=ab",
        ),
        ({"kind": "archive", "url": "https://example.org/a.whl", "hashes": {}}, "pack @ https://example.org/a.whl"),
    ],
)
def test_a_package_of_no_index_is_pinned_to_where_it_came_from(origin: Any, line: str) -> None:
    found = pin("pack", origin=origin)
    assert found.line == line and Requirement(line).url == line.partition(" @ ")[2]


@pytest.mark.parametrize(
    ("origin", "why"),
    [
        ({"kind": "editable", "url": LOCAL_PATH}, "editable"),
        ({"kind": "directory", "url": LOCAL_PATH}, "local folder"),
        ({"kind": "archive", "url": LOCAL_PATH, "hashes": {}}, "local file"),
        ({"kind": "vcs", "vcs": "git", "url": LOCAL_PATH, "commit": "c0"}, "local file or repository"),
        ({"kind": "vcs", "vcs": "git", "url": "https://example.org/a", "commit": None}, "commit"),
        ({"kind": "vcs", "vcs": "sh", "url": "https://example.org/a", "commit": "c0"}, "commit"),
    ],
)
def test_what_lies_in_no_place_that_others_have_is_a_comment_that_says_why(origin: Any, why: str) -> None:
    found = pin("pack", origin=origin)
    assert found.line is None and why in str(found.why)
    assert constraints_text((found,), "head").splitlines() == ["# head", f"# not pinned: pack 1.0: {found.why}"]


@pytest.mark.parametrize(
    ("name", "version", "origin"),
    [
        ("pack", "1.0\n--index-url https://evil.example", None),
        ("pack", "1.0 --hash=sha256:ab", None),
        ("pack", "1.*", None),
        ("pack", "1.0,<2", None),
        ("pack", "1.0; os_name == 'posix'", None),
        ("pack", "nonsense", None),
        ("-rother.txt", "1.0", None),
        ("pack[extra]", "1.0", None),
        ("Pack", "1.0", None),
        ("päck", "1.0", None),
        ("pack", "1.0", {"kind": "archive", "url": "https://example.org/a.whl ; x", "hashes": {}}),
        ("pack", "1.0", {"kind": "archive", "url": "a\n-r b", "hashes": {}}),
    ],
)
def test_a_record_can_smuggle_nothing_into_a_line_for_pip(name: str, version: str, origin: Any) -> None:
    found = pin(name, version, origin)
    assert found.line is None and found.why
    assert all(line.startswith("# ") for line in constraints_text((found,), "a\nb").splitlines())


@pytest.mark.parametrize("distributions", [None, [], {"a": "1.0"}, {"a": {"version": 1}}, {"a": {}}])
def test_a_record_without_named_versions_is_damaged(tmp_path: Path, distributions: Any) -> None:
    document = {"schema": "samerun.environment", "format": 1, "distributions": distributions}
    write_sealed(tmp_path / layout.ENVIRONMENT, document)
    with pytest.raises(DamageError, match="SR-RECORD-021"):
        read_environment(RunRecord(tmp_path))
