from __future__ import annotations

from samerun.judge.documents import ABSENT, config_rows, differences, rows, source_rows


def test_equal_documents_have_no_rows() -> None:
    assert rows({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}) == []


def test_each_differing_leaf_is_named_by_its_path() -> None:
    a = {"model": {"hidden": [64, 64], "kind": "mlp"}, "seed": "7"}
    b = {"model": {"hidden": [64, 32], "kind": "mlp"}, "seed": "8"}
    assert list(differences(a, b)) == [("model.hidden[1]", 64, 32), ("seed", "7", "8")]


def test_a_missing_field_is_told_from_a_null_one() -> None:
    assert rows({"a": None}, {}) == [{"path": "a", "a": None, "b": ABSENT}]


def test_a_number_and_its_text_differ_and_so_do_true_and_1() -> None:
    assert len(rows({"a": 1, "b": True}, {"a": "1", "b": 1})) == 2


def test_lists_of_other_lengths_differ_as_a_whole() -> None:
    assert rows({"a": [1]}, {"a": [1, 2]}) == [{"path": "a", "a": [1], "b": [1, 2]}]


def test_a_setting_carries_the_origin_of_both_sides() -> None:
    origins_a = {"optimizer.learning_rate": {"layer": "recipe", "where": "digits.yaml:9"}}
    origins_b = {"optimizer": {"layer": "default", "where": ""}}
    (row,) = config_rows(
        {"optimizer": {"learning_rate": 0.1}}, {"optimizer": {"learning_rate": 0.2}}, origins_a, origins_b
    )
    assert (row["a_origin"], row["b_origin"]) == ("recipe digits.yaml:9", "default")


def source(**files: tuple[str, str]) -> dict[str, object]:
    return {"files": {f"user/{name}.py": {"meaning": one[0], "content": one[1]} for name, one in files.items()}}


def test_a_source_file_that_means_the_same_is_shown_as_not_counting() -> None:
    (row,) = source_rows(source(net=("m", "c1")), source(net=("m", "c2")))
    assert row == {"path": "user/net.py", "a": "c1", "b": "c2", "counts": False}


def test_a_source_file_that_means_something_else_or_is_absent_counts() -> None:
    found = source_rows(source(net=("m1", "c1"), old=("m", "c")), source(net=("m2", "c2")))
    assert [(row["path"], row["b"], row["counts"]) for row in found] == [
        ("user/net.py", "m2", True),
        ("user/old.py", ABSENT, True),
    ]
