"""The checks that need one comparison, on small records; trainings run as processes in tests/cli."""

from __future__ import annotations

from typing import Any

from samerun.record.identity import Identity, write_identity
from samerun.record.reader import RunRecord
from samerun.rerun.checks import files_check, here_check, portable_check, unsaid
from samerun.rerun.whole import Whole


def test_a_run_with_a_damaged_log_is_not_whole(record: Any) -> None:
    made = record()
    assert files_check(made).verdict == "same"
    log = made.folder / "metrics.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"train/loss":1', b'"train/loss":2', 1))
    found = files_check(made)
    assert (found.verdict, "metrics.jsonl" in found.detail) == ("different", True)


def test_every_damaged_file_is_named_with_what_is_wrong(record: Any) -> None:
    made = record()
    for name in ("metrics.jsonl", "trail.jsonl"):
        log = made.folder / name
        log.write_bytes(log.read_bytes().replace(b'"step":1', b'"step":3', 1))
    found = files_check(made)
    assert found.detail.endswith("and 1 more")
    assert [case["what"] for case in found.as_json()["cases"]] == ["metrics.jsonl", "trail.jsonl"]
    assert all(case.detail.startswith("SR-RECORD-") for case in found.cases)


def test_equal_bits_under_other_facts_are_the_same_here_and_the_facts_are_named(record: Any, twin: Any) -> None:
    made = record()
    other = twin(made)
    write_identity(other.folder, Identity({"seed": "7", "config": {"rate": 2}}, {"torch": "2.14.0"}))
    other = RunRecord.open(other.folder)
    found = here_check(Whole((other,), other, 6, None), made)
    assert (found.verdict, found.steps_compared) == ("same", 6)
    assert "experiment.config" in found.detail and "platform.torch" in found.detail


def test_fewer_steps_here_are_compared_with_the_first_of_the_record(record: Any, twin: Any) -> None:
    made = record(steps=6)
    shorter = twin(made, steps=4)
    found = here_check(Whole((shorter,), shorter, 4, 4), made)
    assert (found.verdict, found.steps_compared) == ("same", 4)
    changed = twin(made, steps=4, loss=2.0)
    found = here_check(Whole((changed,), changed, 4, 4), made)
    assert found.verdict == "different" and found.first_difference is not None
    assert (found.first_difference.step, "other numbers" in found.detail) == (0, True)


def test_what_cannot_be_answered_is_never_the_same() -> None:
    assert (portable_check().verdict, "tier portable" in portable_check().detail) == ("cannot_say", True)
    left = unsaid("resume", "why")
    assert (left.verdict, left.detail, left.name) == ("cannot_say", "why", "resume")
