"""Which existing runs a start may mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from samerun.record.meaning import meaning_of
from samerun.record.reader import RunRecord
from samerun.run.find import Facts, compare, runs_named

Train = Callable[..., RunRecord]


def facts_of(record: RunRecord, seed: int | None = None) -> Facts:
    """The facts under which a run was opened, as a start would find them now."""
    experiment = {key: value for key, value in record.identity.experiment.items() if key not in ("seed", "inputs")}
    return Facts(experiment, record.identity.platform, seed)


def test_the_seed_is_a_fact_and_may_be_left_to_the_run(train: Train) -> None:
    record = train(1, seed=7)
    assert compare(record, facts_of(record)).seed == 7
    assert compare(record, facts_of(record)).differences == ()
    (moved,) = compare(record, facts_of(record, seed=8)).differences
    assert (moved.name, moved.old, moved.new) == ("experiment.seed", "7", "8")


def test_inputs_that_the_loop_named_later_are_not_compared(train: Train) -> None:
    record = train(1)
    grown = replace(record.identity, experiment={**record.identity.experiment, "inputs": {"input/data.txt": "x"}})
    record.__dict__["identity"] = grown
    assert compare(record, facts_of(record)).differences == ()


def test_source_imported_late_is_compared_with_the_file_as_it_is_now(train: Train, tmp_path: Path) -> None:
    record = train(1)
    late = tmp_path / "late.py"
    late.write_text("STEP = 1\n")
    facts = replace(facts_of(record), root=tmp_path)
    source = record.identity.experiment["source"]
    known = {**source, "user": {**source["user"], "late.py": meaning_of(late.read_bytes()).code}}
    record.__dict__["identity"] = replace(record.identity, experiment={**record.identity.experiment, "source": known})
    record.__dict__["manifest"] = replace(record.manifest, late_imports=("late.py",))
    assert compare(record, facts).differences == ()
    late.write_text("STEP = 2\n")
    (moved,) = compare(record, facts).differences
    assert moved.path == 'source.user["late.py"]' and moved.kind == "changed"
    late.unlink()
    (moved,) = compare(record, facts).differences
    assert moved.kind == "removed"


def test_runs_of_a_name_come_newest_first_and_a_damaged_one_hides_none(train: Train) -> None:
    first = train(1, "walk", seed=1)
    second = train(1, "walk", seed=2)
    third = train(1, "walk", seed=3)
    train(1, "walker")
    runs = first.folder.parent
    assert [record.name for record in runs_named(runs, "walk")] == [third.name, second.name, first.name]
    (second.folder / "identity.json").write_text("{}")
    (third.folder / "manifest.json").write_text("{}")
    assert [record.name for record in runs_named(runs, "walk")] == [first.name]
    assert runs_named(runs, "other") == [] and runs_named(runs / "nowhere", "walk") == []
