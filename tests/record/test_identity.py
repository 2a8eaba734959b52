"""An identity is its facts: equal facts give one id, each moved fact is named with both values."""

from pathlib import Path
from typing import Any

import pytest

from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import DamageError
from samerun.record import layout
from samerun.record.identity import Identity, Moved, moved, read_identity, refused, write_identity

EXPERIMENT: dict[str, Any] = {
    "config": {"model": {"hidden": [64, 64], "kind": "mlp"}, "optimizer": {"learning_rate": 1e-3}},
    "seed": "7",
    "source": {"user": {"net.py": "sha256:aa", "train.py": "sha256:bb"}},
}
PLATFORM: dict[str, Any] = {"torch": "2.13.0", "variables": {"MKL_CBWR": "AVX2"}}
IDENTITY = Identity(EXPERIMENT, PLATFORM)


def changed(path: list[str], value: object, group: str = "experiment") -> Identity:
    import copy

    groups = {"experiment": copy.deepcopy(EXPERIMENT), "platform": copy.deepcopy(PLATFORM)}
    table = groups[group]
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    return Identity(**groups)


def test_the_id_is_pinned() -> None:
    # Frozen: another value here would orphan every run there is.
    assert Identity({"config": {"steps": 1}, "seed": "7"}, {"torch": "2.13.0"}).id == "7608af9838871478"


def test_the_id_does_not_depend_on_the_order_of_keys() -> None:
    assert Identity(dict(reversed(EXPERIMENT.items())), PLATFORM).id == IDENTITY.id


def test_each_group_moves_its_own_digest_and_the_id() -> None:
    other = changed(["torch"], "2.14.0", "platform")
    assert other.experiment_digest == IDENTITY.experiment_digest
    assert other.platform_digest != IDENTITY.platform_digest
    assert other.id != IDENTITY.id
    assert changed(["seed"], "8").platform_digest == IDENTITY.platform_digest


def test_an_identity_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_identity(tmp_path, IDENTITY)
    assert read_identity(tmp_path) == IDENTITY
    assert read_sealed(tmp_path / layout.IDENTITY)["id"] == IDENTITY.id


def test_a_missing_identity_is_damage(tmp_path: Path) -> None:
    with pytest.raises(DamageError, match="SR-RECORD-022"):
        read_identity(tmp_path)


@pytest.mark.parametrize("key", ["id", "experiment_digest", "platform_digest", "experiment", "schema"])
def test_facts_and_digests_that_do_not_agree_are_damage(tmp_path: Path, key: str) -> None:
    write_sealed(tmp_path / layout.IDENTITY, {**IDENTITY.as_document(), key: "0123456789abcdef"})
    with pytest.raises(DamageError, match="SR-RECORD-021"):
        read_identity(tmp_path)


def test_equal_identities_have_moved_nothing() -> None:
    assert moved(IDENTITY, Identity(dict(EXPERIMENT), dict(PLATFORM))) == []


@pytest.mark.parametrize(
    ("path", "value", "spelled", "old"),
    [
        (["config", "optimizer", "learning_rate"], 1e-4, "config.optimizer.learning_rate", 1e-3),
        (["config", "model", "hidden"], [64, 65], "config.model.hidden[1]", 64),
        (["config", "model", "hidden"], [64], "config.model.hidden", [64, 64]),
        (["source", "user", "net.py"], "sha256:cc", 'source.user["net.py"]', "sha256:aa"),
        (["seed"], 7, "seed", "7"),
    ],
)
def test_a_moved_fact_is_named_with_both_values(path: list[str], value: object, spelled: str, old: object) -> None:
    new = value[1] if spelled.endswith("[1]") else value  # type: ignore[index]
    assert moved(IDENTITY, changed(path, value)) == [Moved("experiment", spelled, old, new)]


def test_facts_that_came_or_went_are_told_from_null() -> None:
    came = moved(IDENTITY, changed(["config", "dropout"], None))
    assert came == [Moved("experiment", "config.dropout", None, None, "added")]
    went = moved(changed(["config", "dropout"], None), IDENTITY)
    assert went == [Moved("experiment", "config.dropout", None, None, "removed")]


def test_a_number_and_its_text_and_a_truth_value_are_three_facts() -> None:
    values: list[object] = [1, "1", True, None]
    ids = {changed(["config", "x"], value).id for value in values}
    assert len(ids) == 4


def test_drift_covers_what_it_names_and_never_an_experiment_value() -> None:
    threads = changed(["threads"], 2, "platform")
    variable = changed(["variables", "MKL_CBWR"], "SSE4_2", "platform")
    source = changed(["source", "user", "net.py"], "sha256:cc")
    value = changed(["config", "optimizer", "learning_rate"], 0.5)
    cases = [
        (threads, "platform", True),
        (threads, "environment", False),
        (threads, "threads", True),
        (threads, "platform.threads", True),
        (threads, "source", False),
        (variable, "environment", True),
        (variable, "platform", True),
        (variable, "variables", True),
        (source, "source", True),
        (source, "platform", False),
        (source, 'source.user["net.py"]', True),
        (source, "experiment.source.user", True),
        (source, "source.user", True),
        (source, "experiment", False),
        (source, "source.us", False),
        (variable, "platform.variables", True),
        (value, "config.optimizer.learning_rate", False),
        (value, "experiment", False),
        (value, "config", False),
    ]
    for identity, name, is_allowed in cases:
        differences = moved(IDENTITY, identity)
        assert differences
        assert (refused(differences, [name]) == []) is is_allowed, name
        assert refused(differences, []) == differences
