from __future__ import annotations

from samerun.judge.documents import ABSENT, config_rows, data_rows, differences, environment_rows, git_rows, rows
from samerun.record.data import DataRecord, FolderFiles


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


def test_a_package_that_one_side_lacks_is_told_by_its_version() -> None:
    plain = {"version": "2.4.6", "is_editable": False}
    a = {"distributions": {"numpy": plain}, "variables": {"TZ": "UTC"}}
    b = {"distributions": {"numpy": {**plain, "version": "2.5.0"}, "pandas": plain}, "variables": {}}
    assert environment_rows(a, b) == [
        {"group": "packages", "path": "distributions.numpy.version", "a": "2.4.6", "b": "2.5.0"},
        {"group": "packages", "path": "distributions.pandas.version", "a": ABSENT, "b": "2.4.6"},
        {"group": "variables", "path": "variables.TZ", "a": "UTC", "b": ABSENT},
    ]


def test_files_that_are_not_committed_are_one_row_and_the_commit_another() -> None:
    a = {"git": {"commit": "c1", "changed": [" M x.py", " M y.py"]}}
    b = {"git": {"commit": "c2", "changed": [" M y.py", "?? z.py"]}}
    assert git_rows(a, b) == [
        {"group": "git", "path": "git.changed", "a": [" M x.py"], "b": ["?? z.py"]},
        {"group": "git", "path": "git.commit", "a": "c1", "b": "c2"},
    ]


def test_of_a_folder_of_data_the_files_that_changed_are_named() -> None:
    a = DataRecord({"input/set": "d1"}, {"input/set": FolderFiles({"x": "1", "y": "2", "z": "3", "u": "5"})})
    b = DataRecord({"input/set": "d2"}, {"input/set": FolderFiles({"x": "9", "y": "2", "w": "4", "v": "5"})})
    (row,) = data_rows(a, b)
    assert (row["path"], row["a"], row["b"]) == ("inputs.input/set", "d1", "d2")
    assert row["files"] == {"changed": ["x"], "added": ["w"], "removed": ["z"], "moved": [["u", "v"]], "of": 6}


def test_data_whose_files_are_not_listed_have_digests_only() -> None:
    a = DataRecord({"dataset/train": "d1"})
    assert data_rows(a, DataRecord({"dataset/train": "d2"}))[0]["files"] is None
    assert data_rows(a, DataRecord())[0]["b"] == ABSENT and data_rows(a, a) == []


def test_each_new_field_of_an_environment_is_a_row_of_its_group() -> None:
    plain = {"version": "1.0", "record": "sha256:a", "origin": None, "reason": None}
    a = {
        "distributions": {"pack": plain},
        "cpu": {"model": "one"},
        "libraries": {"torch": {"blas": "mkl"}},
        "accelerator": {"driver": None, "gpus": []},
        "locale": {"encoding": "UTF-8"},
        "lock_files": {"uv.lock": {"digest": "sha256:1"}},
        "reasons": {"accelerator.driver": "none here"},
    }
    origin = {"kind": "vcs", "commit": "c2"}
    b = {
        "distributions": {"pack": {**plain, "record": "sha256:b", "origin": origin}},
        "cpu": {"model": "two"},
        "libraries": {"torch": {"blas": "open"}},
        "accelerator": {"driver": "550", "gpus": []},
        "locale": {"encoding": "ANSI"},
        "lock_files": {"uv.lock": {"digest": "sha256:2"}},
        "reasons": {},
    }
    assert [(row["group"], row["path"]) for row in environment_rows(a, b)] == [
        ("accelerator", "accelerator.driver"),
        ("cpu", "cpu.model"),
        ("packages", "distributions.pack.origin"),
        ("packages", "distributions.pack.record"),
        ("libraries", "libraries.torch.blas"),
        ("locale", "locale.encoding"),
        ("lock files", "lock_files.uv.lock.digest"),
    ]
