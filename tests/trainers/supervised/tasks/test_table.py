"""Tables of rows with a label."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from samerun.errors import ConfigError
from samerun.trainers.supervised.tasks.config import TableTable
from samerun.trainers.supervised.tasks.table import load
from samerun.trainers.supervised.tasks.task import Task


def rows(count: int = 60) -> list[str]:
    """Rows of width, color, serial, label."""
    colors, labels = ("blue", "red", "red"), ("no", "yes")
    return [f"{number % 7},{colors[number % 3]},{number},{labels[number % 2]}" for number in range(count)]


def write(folder: Path, lines: list[str], header: str = "width,color,serial,label") -> None:
    (folder / "data.csv").write_text("\n".join([header, *lines]) + "\n")


def loaded(folder: Path, **values: Any) -> Task:
    return load(TableTable(path="data.csv", label=values.pop("label", "label"), **values), folder)


def split_of(task: Task, name: str) -> tuple[torch.Tensor, torch.Tensor]:
    items = task.splits[name]
    assert isinstance(items, tuple)
    return items


def test_classes_are_the_sorted_labels(tmp_path: Path) -> None:
    write(tmp_path, rows())
    task = loaded(tmp_path)
    assert task.outputs == ("no", "yes") and task.shape.num_outputs == 2
    assert sum(len(split_of(task, name)[1]) for name in task.splits) == 60


def test_numeric_classes_are_in_order_of_their_value(tmp_path: Path) -> None:
    write(tmp_path, [f"{number % 7},a,{number},{(10, 9, 2)[number % 3]}" for number in range(60)])
    assert loaded(tmp_path).outputs == ("2", "9", "10")


def test_numbers_are_standardised_and_categories_are_one_hot(tmp_path: Path) -> None:
    write(tmp_path, rows())
    features, _ = split_of(loaded(tmp_path, drop=("serial",)), "train")
    assert features.shape[1] == 1 + 2
    assert float(features[:, 0].mean()) == pytest.approx(0.0, abs=1e-5)
    assert float(features[:, 0].std(correction=0)) == pytest.approx(1.0, abs=1e-5)
    assert bool((features[:, 1:].sum(1) == 1.0).all())


def test_the_scale_comes_from_training_rows_alone(tmp_path: Path) -> None:
    write(tmp_path, rows())
    task = loaded(tmp_path, drop=("color", "width"))
    everything = torch.cat([split_of(task, name)[0] for name in task.splits])
    assert float(split_of(task, "train")[0].mean()) == pytest.approx(0.0, abs=1e-6)
    assert float(everything.mean()) != pytest.approx(0.0, abs=1e-3)


def test_reordered_rows_are_held_out_alike(tmp_path: Path) -> None:
    write(tmp_path, rows())
    before = split_of(loaded(tmp_path), "test")[0]
    write(tmp_path, rows()[::-1])
    after = split_of(loaded(tmp_path), "test")[0]
    assert torch.equal(before.sort(0).values, after.sort(0).values)


def test_a_group_stays_on_one_side(tmp_path: Path) -> None:
    write(tmp_path, rows())
    task = loaded(tmp_path, split_by="width", drop=("serial",))
    assert split_of(task, "train")[0].shape[1] == 2  # the group is no feature
    assert {len(split_of(task, name)[0]) for name in task.splits} != {60}


def test_a_regression_standardises_its_target_and_knows_the_unit(tmp_path: Path) -> None:
    write(tmp_path, rows())
    task = loaded(tmp_path, label="serial", goal="regression")
    targets = split_of(task, "train")[1]
    assert task.shape.num_outputs == 1 and targets.dtype == torch.float32
    assert float(targets.mean()) == pytest.approx(0.0, abs=1e-5)
    assert 0.0 < task.target_mean < 60.0 and task.target_deviation > 1.0


def test_a_number_can_be_taken_for_a_category(tmp_path: Path) -> None:
    write(tmp_path, rows())
    task = loaded(tmp_path, categorical=("width",), drop=("serial", "color"))
    assert split_of(task, "train")[0].shape[1] == 7


@pytest.mark.parametrize("cell", ["", "nan", "inf"])
@pytest.mark.parametrize("goal", ["classification", "regression"])
def test_a_label_that_is_missing_or_no_number_is_refused_with_its_line(tmp_path: Path, goal: str, cell: str) -> None:
    write(tmp_path, [*rows(), f"1,red,{cell},no"])
    with pytest.raises(ConfigError, match="SR-TASK-007") as caught:
        loaded(tmp_path, label="serial", goal=goal)
    assert "row 62" in caught.value.evidence[0]


def test_a_textual_label_of_a_regression_is_refused(tmp_path: Path) -> None:
    write(tmp_path, rows())
    with pytest.raises(ConfigError, match="SR-TASK-007"):
        loaded(tmp_path, goal="regression")


def test_one_class_is_refused(tmp_path: Path) -> None:
    write(tmp_path, [row.rsplit(",", 1)[0] + ",yes" for row in rows()])
    with pytest.raises(ConfigError, match="SR-TASK-008"):
        loaded(tmp_path)


def test_a_column_that_is_not_there_is_refused_with_the_nearest(tmp_path: Path) -> None:
    write(tmp_path, rows())
    with pytest.raises(ConfigError, match="SR-TASK-006") as caught:
        loaded(tmp_path, label="labell")
    assert "did you mean 'label'" in caught.value.what


def test_nothing_left_to_predict_from_is_refused(tmp_path: Path) -> None:
    write(tmp_path, rows())
    with pytest.raises(ConfigError, match="SR-TASK-006"):
        loaded(tmp_path, drop=("width", "color", "serial"))


def test_a_missing_number_is_refused_or_takes_the_training_mean(tmp_path: Path) -> None:
    write(tmp_path, [*rows(), ",red,99,no"])
    with pytest.raises(ConfigError, match="SR-TASK-009"):
        loaded(tmp_path)
    task = loaded(tmp_path, missing="mean", drop=("serial", "color"))
    everything = torch.cat([split_of(task, name)[0][:, 0] for name in task.splits])
    assert int((everything == 0.0).sum()) == 1


def test_too_little_data_to_hold_any_out_is_refused(tmp_path: Path) -> None:
    write(tmp_path, ["1,red,1,yes", "2,red,2,no"])
    with pytest.raises(ConfigError, match="SR-TASK-010"):
        loaded(tmp_path)


@pytest.mark.parametrize("label", [lambda row: 100 + row / 4, lambda row: 1000 + 7 * row])
def test_a_label_of_as_many_numbers_as_rows_is_no_class_and_the_goal_is_named(tmp_path: Path, label: Any) -> None:
    write(tmp_path, [f"{row},a,{row},{label(row)}" for row in range(40)])
    with pytest.raises(ConfigError, match="SR-TASK-015") as caught:
        loaded(tmp_path)
    assert "40 different numbers in 40 rows" in caught.value.evidence[0]
    assert "task.goal=regression" in caught.value.do
    assert loaded(tmp_path, goal="regression").shape.goal == "value"


def test_a_few_different_numbers_are_classes(tmp_path: Path) -> None:
    write(tmp_path, [f"{row},a,{row},{row % 5 / 2}" for row in range(40)])
    assert loaded(tmp_path).shape.num_outputs == 5


def test_the_file_is_an_input_of_the_run(tmp_path: Path) -> None:
    write(tmp_path, rows())
    assert loaded(tmp_path).inputs == (tmp_path / "data.csv",)


def test_a_cell_that_is_no_number_among_numbers_is_refused_by_row_and_column(tmp_path: Path) -> None:
    lines = rows(20)
    lines[3] = lines[3].replace("3,", "n.a.,", 1)
    write(tmp_path, lines)
    with pytest.raises(ConfigError, match="SR-TASK-014") as caught:
        loaded(tmp_path)
    assert "'width'" in caught.value.what and caught.value.evidence[0].startswith("row 5: 'n.a.'")
    assert loaded(tmp_path, drop=("width",)).shape.item < loaded(tmp_path, categorical=("width",)).shape.item


def test_a_numeric_label_with_a_stray_word_is_no_further_class(tmp_path: Path) -> None:
    write(tmp_path, [f"{row},a,{row},{'?' if row == 7 else row % 2}" for row in range(20)])
    with pytest.raises(ConfigError, match="SR-TASK-014"):
        loaded(tmp_path)
    assert loaded(tmp_path, categorical=("label",), drop=("serial",)).outputs == ("0", "1", "?")


def test_a_column_of_words_and_some_numbers_stays_text(tmp_path: Path) -> None:
    write(tmp_path, [f"{'x' if row < 3 else row % 3},a,{row},{row % 2}" for row in range(20)])
    assert split_of(loaded(tmp_path, drop=("serial", "color")), "train")[0].shape[1] == 4
