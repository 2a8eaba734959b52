from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from samerun.judge.documents import argument_rows
from samerun.judge.suspects import beside, suspects
from samerun.record.identity import Identity, Moved, moved
from samerun.record.manifest import Entry, Manifest, Parent, Segment

NOW = "2026-01-01T00:00:00Z"
MANIFEST = Manifest("run", "0" * 16, "0" * 16, Entry("loop"), NOW, NOW)
EMPTY: dict[str, Any] = {"config": [], "source": [], "data": [], "environment": []}


def texts(a: dict[str, Any], b: dict[str, Any], group: str = "experiment", **sections: Any) -> list[str]:
    sides = [Identity(**{"experiment": {}, group: facts}) for facts in (a, b)]
    return [one.text for one in suspects(moved(*sides), {**EMPTY, **sections}, MANIFEST, MANIFEST)]


@pytest.mark.parametrize(
    ("origins", "ending"),
    [
        ((None, "set -s optimizer.learning_rate=0.002"), ", set by -s"),
        (("set -s optimizer.learning_rate=0.001", "default Table"), ", set by -s in a"),
        (("recipe x.yaml:3", "recipe y.yaml:9"), ", from y.yaml:9"),
        ((None, "default Table"), ""),
        ((None, None), ""),
    ],
)
def test_a_setting_is_told_with_both_values_and_who_set_it(origins: tuple[Any, Any], ending: str) -> None:
    row = {"path": "optimizer.learning_rate", "a_origin": origins[0], "b_origin": origins[1]}
    a, b = ({"config": {"optimizer": {"learning_rate": rate}}} for rate in (0.001, 0.002))
    assert texts(a, b, config=[row]) == [f"config: optimizer.learning_rate 0.001 -> 0.002{ending}"]


def test_a_setting_that_one_side_lacks_and_the_seed_are_settings_too() -> None:
    assert texts({"config": {}, "seed": "7"}, {"config": {"clip": 1}, "seed": "8"}) == [
        "config: clip (not set) -> 1",
        "config: seed 7 -> 8",
    ]


def source(path: str, **changes: Any) -> dict[str, Any]:
    return {"path": path, "counts": True, "change": "changed", "where": "line 31 changed", "more": 0, **changes}


def test_each_source_file_that_counts_is_told_with_its_line() -> None:
    rows = [
        source("user/train.py"),
        source("user/net.py", more=2),
        source("user/new.py", change="added", where=None),
        source("user/text.py", counts=False),
        source("own/samerun/a.py"),
        source("own/samerun/b.py"),
    ]
    facts = {"source": {"user": {"train.py": "1"}}}, {"source": {"user": {"train.py": "2"}}}
    assert texts(*facts, source=rows) == [
        "source: train.py line 31 changed",
        "source: net.py line 31 changed and 2 more places",
        "source: new.py is in b only",
        "source: samerun itself (2 files) changed",
    ]
    assert texts(*facts) == ["source: files that are not in the snapshots changed"]


def test_source_that_differs_in_comments_alone_is_no_suspect() -> None:
    assert texts({}, {}, source=[source("user/text.py", counts=False)]) == []


def test_data_are_told_by_the_files_that_changed() -> None:
    facts = {"inputs": {"input/set": "1"}}, {"inputs": {"input/set": "2"}}
    files = {"changed": ["train.csv"], "added": [], "removed": [], "moved": [["a", "b"]], "of": 3}
    row = {"path": "inputs.input/set", "a": "1", "b": "2", "files": files}
    assert texts(*facts, data=[row]) == ["data: train.csv, a -> b of set changed (2 of 3 files)"]
    assert texts(*facts, data=[{**row, "files": None}]) == ["data: set changed"]
    assert texts(*facts, data=[{**row, "files": None, "b": "(absent)"}]) == ["data: set is in a only"]
    assert texts(*facts) == ['data: inputs["input/set"] changed']


def test_a_data_set_in_memory_is_named_where_no_file_that_was_read_differs() -> None:
    facts = {"inputs": {"dataset/x": "1", "input/set": "1"}}, {"inputs": {"dataset/x": "2", "input/set": "2"}}
    rows = [{"path": f"inputs.{name}", "a": "1", "b": "2", "files": None} for name in ("dataset/x", "input/set")]
    assert texts(*facts, data=rows) == ["data: set changed"]
    assert texts(*facts, data=rows[:1]) == ["data: the data set x changed"]


def test_variables_are_told_one_by_one_and_the_rest_of_a_platform_together() -> None:
    a = {"torch": {"version": "2.13"}, "libc": "1", "variables": {}}
    b = {"torch": {"version": "2.14"}, "libc": "2", "variables": {"MKL_CBWR": "AVX2"}}
    assert texts(a, b, "platform") == [
        "environment: MKL_CBWR (not set) -> AVX2",
        "platform: libc 1 -> 2 and 1 more fact; other platform",
    ]


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        ([], ["code"], "arguments: (none) -> code"),
        (["--rate", "1", "fast"], ["--rate", "2", "fast"], "arguments: --rate 1 fast -> --rate 2 fast"),
        (["x", "y"], ["y", "x"], "arguments: x y -> y x"),
        (["a" * 30, "b" * 30, "1"], ["a" * 30, "b" * 30, "2"], f"arguments: ... {'b' * 30} 1 -> ... {'b' * 30} 2"),
    ],
)
def test_the_arguments_of_a_script_are_suspects(a: list[str], b: list[str], text: str) -> None:
    rows = argument_rows(a, b)
    assert texts({}, {}, environment=rows) == [text]
    assert beside({**EMPTY, "environment": rows}, set(), []) == []


def test_arguments_that_a_changed_setting_tells_are_no_further_suspect() -> None:
    facts = {"config": {"rate": 0.1}}, {"config": {"rate": 0.2}}
    named = "config: rate 0.1 -> 0.2"
    assert texts(*facts, environment=argument_rows(["--rate", "0.1"], ["--rate", "0.2"])) == [named]
    assert texts(*facts, environment=argument_rows(["--rate=0.1"], ["--rate=0.2"])) == [named]
    both = texts(*facts, environment=argument_rows(["--rate", "0.1"], ["--rate", "0.2", "--fast"]))
    assert both == [named, "arguments: --rate 0.1 -> --rate 0.2 --fast"]


def test_another_fact_of_the_experiment_is_told_by_its_name() -> None:
    assert texts({"exact_except": ["a"]}, {}) == ['exact_except: exact_except ["a"] -> (not set)']


def test_a_drift_on_the_way_counts_from_its_step_and_a_fork_from_the_start() -> None:
    drifted = replace(MANIFEST, segments=(Segment(1, 20, "x", "y", ("platform.torch",)),))
    (one,) = suspects([], EMPTY, MANIFEST, drifted)
    assert (one.from_step, one.text) == (20, "drift: b went on under other facts at step 20: platform.torch")
    parent = Parent("run-0123abcd", "0123abcd", 2, "xxh3:0")
    forked = replace(MANIFEST, parent=parent)
    assert [one.text for one in suspects([], EMPTY, forked, MANIFEST)] == ["fork: a began from run-0123abcd at step 2"]
    assert suspects([], EMPTY, forked, forked) == []


def row(group: str, path: str) -> dict[str, Any]:
    return {"group": group, "path": path, "a": "1", "b": "2"}


def test_what_is_outside_of_the_identity_is_told_beside() -> None:
    environment = [
        row("packages", "distributions.pandas.version"),
        row("packages", "distributions.torch.version"),
        row("variables", "variables.TZ"),
        row("variables", "variables.SLURM_JOB_ID"),
        row("git", "git.commit"),
    ]
    config = [{"path": "workers"}, {"path": "name"}, {"path": "checkpoint.every"}, {"path": "batch_size"}]
    sections = {**EMPTY, "environment": environment, "config": config}
    facts = [Moved("platform", "torch.version", "1", "2")]
    assert beside(sections, {"workers", "name", "checkpoint.every"}, facts) == [
        "packages outside of the identity differ: pandas",
        "variables outside of the identity differ: TZ",
        "settings that are aside differ: workers",
    ]
    assert beside(EMPTY, set(), []) == []
