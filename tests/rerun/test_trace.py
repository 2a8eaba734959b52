"""Trace: the operations of a recorded step in a file; two traces of one step are the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.judge.traces import diff_traces
from samerun.record.reader import RunRecord
from samerun.record.trace import Trace
from samerun.rerun.trace import trace

Faulty = Callable[[str], RunRecord]


def test_a_trace_is_whole_and_repeats_itself(faulty: Faulty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = faulty("none")
    monkeypatch.chdir(made.folder.parent.parent)
    for name in ("a.json", "b.json"):
        found = trace(made.folder, step=7, output=tmp_path / name)
        assert (found.verdict, found.begun) == ("same", 5)
    recorded = Trace.read(tmp_path / "a.json")
    assert recorded.run == made.name and len(recorded.operations) == found.num_operations
    assert {one.phase for one in recorded.operations} == {"forward", "backward", "optimizer"}
    assert all(digest is not None for one in recorded.operations for digest in (*one.inputs, *one.outputs))
    assert diff_traces(tmp_path / "a.json", tmp_path / "b.json").is_same
