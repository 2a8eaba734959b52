"""`unpack` in processes: what is printed, and what is refused with exit 6 and no traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def bundle(samerun: Any, made: Path, tmp_path: Path) -> Path:
    """The run `first`, packed."""
    assert samerun("pack", "first", "-o", tmp_path / "first.zip", cwd=made).code == 0
    return tmp_path / "first.zip"


def test_what_is_printed_says_what_came_and_from_whom_the_rest_stayed(samerun: Any, bundle: Path) -> None:
    done = samerun("unpack", bundle)
    assert (
        "unpacked: runs/first-" in done.out and "all verified" in done.out and "left out by who packed it" in done.out
    )
    done = samerun("unpack", bundle)
    assert (done.code, "is there already: runs/first-" in done.out) == (0, True)
    done = samerun("unpack", bundle, "--runs", "others", "-q")
    assert done.out.startswith("others/first-") and done.err == ""


def test_a_dry_run_writes_nothing(samerun: Any, bundle: Path, tmp_path: Path) -> None:
    done = samerun("unpack", bundle, "--dry-run")
    assert done.code == 0 and "would be unpacked" in done.out and not (tmp_path / "runs").exists()


def test_a_folder_of_ones_own_choice(samerun: Any, bundle: Path, tmp_path: Path) -> None:
    assert samerun("unpack", bundle, "-o", "mine").code == 0
    assert samerun("show", "mine").code == 0 and not (tmp_path / "runs").exists()
    (tmp_path / "other").mkdir()
    done = samerun("unpack", bundle, "-o", "other", "--json")
    assert (done.code, done.error["code"]) == (3, "SR-BUNDLE-016")


def test_a_damaged_bundle_ends_in_four_parts_and_no_traceback(samerun: Any, bundle: Path, tmp_path: Path) -> None:
    data = bundle.read_bytes()
    for number, other in enumerate((data[:-1], data[:200], b"", data[:300] + b"x" + data[301:], b"PK" + data)):
        bundle.write_bytes(other)
        done = samerun("unpack", bundle, "--json")
        assert (done.code, done.error["code"][:9]) == (6, "SR-BUNDLE") or done.error["code"].startswith("SR-DAMAGE")
        assert "Traceback" not in done.err, number
    assert not (tmp_path / "runs").exists() or list((tmp_path / "runs").iterdir()) == []


def test_a_bundle_that_is_not_there_is_exit_5(samerun: Any) -> None:
    assert samerun("unpack", "gone.zip").code == 5


def test_show_says_that_a_run_came_from_a_bundle(samerun: Any, bundle: Path, made: Path) -> None:
    run = samerun("unpack", bundle, "-q").out.strip()
    assert "a bundle; code of its own runs with --trust only" in samerun("show", run).out
    assert samerun("show", run, "--json").document["is_from_bundle"] is True
    assert samerun("show", "first", "--json", cwd=made).document["is_from_bundle"] is False
