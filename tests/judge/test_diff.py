from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from samerun.errors import DamageError
from samerun.judge.diff import diff
from samerun.record import layout
from samerun.record.manifest import Parent

NUMBERS = {"train/loss": 0.25}


def first(verdict: Any) -> tuple[Any, ...]:
    found = verdict.first_difference
    return found.step, found.kind, found.component, found.leaf


def test_equal_records_are_the_same_run(record) -> None:
    verdict = diff(record(), record())
    assert (verdict.verdict, verdict.is_same, verdict.steps_compared) == ("same", True, 6)
    assert verdict.summary.startswith("same experiment, same platform; 6 steps compared")


def test_folders_and_texts_are_taken_as_well_as_records(record) -> None:
    a, b = record(), record()
    assert diff(a.folder, str(b.folder)).is_same


def test_clock_columns_never_count(record) -> None:
    a = record()
    b = record(at=3, numbers={"train/loss": 0.25, "time/save_seconds": 9.0, "memory/peak": 3.0})
    assert diff(a, b).is_same


def test_two_records_without_rows_cannot_be_judged(record) -> None:
    verdict = diff(record(steps=0), record(steps=0))
    assert (verdict.verdict, verdict.is_same, verdict.first_difference) == ("cannot_say", False, None)


def test_one_record_without_rows_cannot_be_judged(record) -> None:
    assert diff(record(steps=0), record()).verdict == "cannot_say"


@pytest.mark.parametrize(
    ("changes", "kind", "component", "leaf"),
    [
        ({"batch": "xxh3:other"}, "batch", "batch", None),
        ({"streams": {"user/augment": 1}}, "draws", "streams", None),
        ({"ambient": "other"}, "ambient", "ambient", None),
        ({"numbers": NUMBERS | {"train/loss": 0.5}}, "value", "loss", "train/loss"),
        ({"state": {"model": "xxh3:x", "optim": "xxh3:o3"}}, "value", "model", None),
        ({"numbers": NUMBERS | {"health/norm": 1.0}}, "structure", "metrics", "health/norm"),
    ],
)
def test_the_first_difference_names_step_kind_component_and_leaf(record, changes, kind, component, leaf) -> None:
    verdict = diff(record(), record(at=3, **changes))
    assert verdict.verdict == "different"
    assert first(verdict) == (3, kind, component, leaf)


def test_a_cause_is_named_before_its_effects(record) -> None:
    changes = {"ambient": "other", "numbers": {"train/loss": 9.0}, "state": {"model": "xxh3:x", "optim": "xxh3:y"}}
    assert first(diff(record(), record(at=2, **changes)))[:3] == (2, "ambient", "ambient")


def test_an_earlier_difference_wins_over_a_stronger_cause_later(record) -> None:
    b = record(at=2, numbers={"train/loss": 9.0})
    assert first(diff(record(at=4, batch="xxh3:other"), b))[0] == 2


def test_an_extra_draw_is_told_by_stream_and_count(record) -> None:
    verdict = diff(record(), record(at=4, streams={"data/order/epoch/{epoch}": 9}))
    assert verdict.first_difference is not None
    assert str(verdict.first_difference).startswith("step 4: stream data/order/epoch/{epoch} drew 1 more number in b")
    (row,) = verdict.sections["streams"]
    assert row == {
        "stream": "data/order/epoch/{epoch}",
        "first_step": 4,
        "more_in_b": 1,
        "a": 8,
        "b": 9,
        "rows": 1,
    }
    assert verdict.cause is not None and verdict.cause.startswith("streams: data/order/epoch/{epoch} drew 1 more")


def test_structural_drift_is_told_from_value_drift(record) -> None:
    structural = diff(record(), record(at=3, numbers=NUMBERS | {"health/norm": 1.0}))
    assert "structural drift only" in structural.summary
    value = diff(record(), record(at=3, numbers={"train/loss": 0.5}))
    assert "they part at step 3" in value.summary


def test_a_shorter_run_is_not_the_same_run(record) -> None:
    verdict = diff(record(steps=4), record(steps=6))
    assert first(verdict) == (4, "structure", None, None)
    assert verdict.steps_compared == 4 and "structural drift only" in verdict.summary


def test_a_fork_may_begin_where_it_left_its_parent(record) -> None:
    parent = Parent("run1-0123abcd", "0123abcd" * 2, 2, "xxh3:0")
    verdict = diff(record(), record(steps=4, first=2, parent=parent))
    assert verdict.verdict == "same" and any("fork" in note for note in verdict.notes)
    assert diff(record(), record(steps=4, first=2)).verdict == "different"


def test_the_same_experiment_on_another_platform_is_said_in_those_words(record) -> None:
    verdict = diff(record(), record(platform={"torch": "2.14.0"}))
    assert verdict.is_same and verdict.summary.startswith("same experiment, other platform")
    parted = diff(record(), record(platform={"torch": "2.14.0"}, at=3, numbers={"train/loss": 0.1}))
    assert parted.summary.startswith("same experiment, other platform; they part at step 3")
    assert parted.sections["identity"][0]["path"] == "torch"


def test_other_source_with_equal_bits_is_the_same_and_is_said(record) -> None:
    verdict = diff(record(), record(source="sha256:refactored", text=b"rate = 2\n"))
    assert verdict.is_same and verdict.summary.startswith("same settings, other source")
    (row,) = verdict.sections["source"]
    assert (row["path"], row["a"], row["b"], row["counts"]) == (
        "user/net.py",
        "sha256:code",
        "sha256:refactored",
        True,
    )
    assert "+rate = 2" in row["lines"]
    assert verdict.cause == "source: net.py line 1 changed; no effect in 6 steps"


def test_another_setting_is_another_experiment_even_with_equal_numbers(record) -> None:
    verdict = diff(record(), record(settings={"optimizer": {"learning_rate": 0.2}}))
    assert (verdict.verdict, verdict.first_difference) == ("different", None)
    assert "another experiment: config.optimizer.learning_rate" in verdict.summary
    (row,) = verdict.sections["config"]
    assert (row["path"], row["a"], row["b"]) == ("optimizer.learning_rate", 0.1, 0.2)
    assert row["a_origin"] == "recipe digits.yaml:9"


def test_another_aside_setting_is_shown_and_changes_no_answer(record) -> None:
    why = {"name": "a label"}
    verdict = diff(record(settings={"name": "a"}, asides=why), record(settings={"name": "b"}, asides=why))
    assert verdict.is_same and [row["path"] for row in verdict.sections["config"]] == ["name"]


def test_a_watching_evaluation_at_other_steps_is_left_out_and_noted(record) -> None:
    def run(every: int, **changes: Any) -> Any:
        asides = {"evaluate": "watching", "evaluate.every": "watching"}
        return record(settings={"evaluate": {"every": every}}, asides=asides, **changes)

    verdict = diff(run(0), run(3, at=3, numbers=NUMBERS | {"evaluate/loss": 2.0}))
    assert verdict.is_same and any("evaluate/loss" in note for note in verdict.notes)


def test_a_thinned_trail_is_compared_where_it_can_be_and_noted(record) -> None:
    verdict = diff(record(), record(at=3, state=None))
    assert verdict.is_same and any("1 rows hold no state digest" in note for note in verdict.notes)


def test_where_the_state_was_not_recorded_it_may_have_parted_earlier_and_that_is_said(record) -> None:
    def told(verdict: Any) -> list[str]:
        return [note for note in verdict.notes if "may have parted earlier" in note]

    known = diff(record(), record(at=3, numbers={"train/loss": 9.0}))
    assert known.verdict == "different" and told(known) == []
    thin = diff(record(steps=3, thin=3), record(steps=3, thin=3, at=2, numbers={"train/loss": 9.0}))
    assert told(thin) == ["between step 0 and step 2 no state was recorded: it may have parted earlier than shown"]


def test_a_damaged_record_is_an_error_and_no_answer(record) -> None:
    a, b = record(), record()
    log = b.folder / layout.log_part_name(layout.TRAIL, 0)
    log.write_bytes(log.read_bytes().replace(b"xxh3:b3", b"xxh3:b9"))
    with pytest.raises(DamageError):
        diff(a, b)


def test_a_verdict_turns_into_json(record) -> None:
    document = json.loads(json.dumps(diff(record(), record(at=3, numbers={"train/loss": "NaN"})).as_json()))
    assert {"config", "source", "environment", "data", "streams", "metrics", "trail"} <= set(document["sections"])


def test_diff_loads_no_torch(record) -> None:
    program = "import sys; from samerun.judge.diff import diff; diff(*sys.argv[1:]); assert 'torch' not in sys.modules"
    folders = [str(record().folder), str(record().folder)]
    done = subprocess.run([sys.executable, "-c", program, *folders], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_memory_does_not_grow_with_the_rows(record) -> None:
    import tracemalloc

    a, b = record(steps=2000), record(steps=2000, at=5, batch="xxh3:other")
    diff(a, b)
    tracemalloc.start()
    diff(a, b)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    size = sum((a.folder / layout.log_part_name(name, 0)).stat().st_size for name in (layout.METRICS, layout.TRAIL))
    assert peak < size


@pytest.mark.parametrize("name", [layout.SOURCE, layout.ENVIRONMENT])
def test_a_record_without_a_document_that_it_must_have_is_damaged(record, name: str) -> None:
    a, b = record(), record()
    (b.folder / name).unlink()
    for pair in ((a, b), (b, a)):
        with pytest.raises(DamageError, match="SR-RECORD-022"):
            diff(*pair)
