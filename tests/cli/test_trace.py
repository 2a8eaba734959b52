"""`samerun trace`: the file, the answer, and two of them through `diff`."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_two_runs_are_traced_and_the_operation_that_differs_is_named(samerun: Any, made: Path, tmp_path: Path) -> None:
    for name in ("second", "other"):
        done = samerun("trace", name, "--step", 0, "-o", tmp_path / f"{name}.json", "--json", cwd=made)
        assert done.code == 0, done.err
        assert (done.document["schema"], done.document["verdict"]) == ("samerun.trace/1", "same")
        assert done.document["operations"] > 20
    done = samerun("diff", tmp_path / "second.json", tmp_path / "other.json", cwd=made)
    assert done.code == 1 and "optimizer" in done.out and "called with other values" in done.out
    assert samerun("diff", tmp_path / "second.json", tmp_path / "second.json", cwd=made).code == 0


def test_a_file_that_is_no_trace_is_damage_and_a_step_that_never_happened_exit_5(
    samerun: Any, made: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    assert samerun("diff", bad, bad, cwd=made).code == 6
    assert samerun("trace", "second", "--step", 9, "-o", tmp_path / "t.json", cwd=made).code == 5
    assert not (tmp_path / "t.json").exists()


def test_a_trace_is_never_written_into_a_run_nor_begun_where_it_has_no_place(
    samerun: Any, made: Path, tmp_path: Path
) -> None:
    run = next((made / "runs").glob("second-*"))
    before = (run / "metrics.jsonl").read_bytes()
    done = samerun("trace", "second", "--step", 0, "-o", run / "metrics.jsonl", "--json", cwd=made)
    assert (done.code, done.document["error"]["code"]) == (2, "SR-RECORD-033")
    assert (run / "metrics.jsonl").read_bytes() == before
    done = samerun("trace", "second", "--step", 0, "-o", tmp_path / "missing" / "t.json", "--json", cwd=made)
    assert (done.code, done.document["error"]["code"]) == (2, "SR-RECORD-034")
