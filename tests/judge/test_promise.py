from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from samerun.judge.diff import diff
from samerun.judge.promise import promise_notes, promise_of
from samerun.record.manifest import Checked, Entry, Manifest, Segment, write_manifest

FULL = Manifest("name", "0" * 16, "0" * 16, Entry("recipe"), "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z")


def test_a_full_exact_run_needs_no_note() -> None:
    assert list(promise_notes("a", FULL)) == []
    assert promise_of(FULL)["tier"] == "exact" and promise_of(FULL)["drift"] == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tier": "fast"}, "b ran under tier fast"),
        ({"exact_except": ("aten::cumsum",)}, "aten::cumsum"),
        ({"exact_except": ("aten::cumsum",), "excepted": {"aten::cumsum": 40}}, "aten::cumsum (ran 40 times)"),
        ({"grade": "observed"}, "grade observed"),
        ({"checked": Checked(40, 39)}, "repeated 40 steps while it ran, 39 of them equal"),
        (
            {"segments": (Segment(1, 30, "0" * 16, "sha256:0", ("platform.torch",)),)},
            "at step 30 after an allowed drift",
        ),
    ],
)
def test_a_weaker_promise_is_said(changes: dict[str, Any], words: str) -> None:
    (note,) = promise_notes("b", replace(FULL, **changes))
    assert words in note


def test_a_verdict_carries_the_promise_of_both_sides(record) -> None:
    a, b = record(), record()
    write_manifest(b.folder, replace(b.manifest, exact_except=("aten::cumsum",)))
    verdict = diff(a.folder, b.folder)
    assert verdict.as_json()["promise"]["b"]["exact_except"] == ["aten::cumsum"]
    assert verdict.is_same and any("aten::cumsum" in note for note in verdict.notes)
