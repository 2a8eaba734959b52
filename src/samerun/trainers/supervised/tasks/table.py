"""A table with a label column, as features in memory: numbers standardised, categories one-hot, both from what the
training rows show and nothing else. Reading the file is columns.py's work.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256
from samerun.base.text import nearest
from samerun.errors import ConfigError
from samerun.trainers.models.shape import Shape
from samerun.trainers.supervised.tasks.columns import Columns, Value, is_missing, number_of, read_columns
from samerun.trainers.supervised.tasks.config import TableTable
from samerun.trainers.supervised.tasks.split import Positions, stratified_split
from samerun.trainers.supervised.tasks.task import Task, locate

Features = npt.NDArray[np.float32]

MOSTLY = 0.4
"""From this share of different numbers among the labels on, a class has too few rows to hold one out."""
NEARLY_ALL = 0.9
"""From this share of numbers on, a word in a column is taken for a mistake."""


def load(config: TableTable, project: Path | None) -> Task:
    """Read the table, split its rows by their content, and encode them.

    Raises ConfigError: SR-TASK-001 to -005 for the file, -006 an unknown column, -007 a label that is missing or no
    number, -008 one class only, -009 a missing number, -010 a split without rows, -014 a word among numbers, -015
    a quantity for a class.
    """
    path = locate(config.path, project)
    columns = read_columns(path, config.path)
    _check_names(config, columns)
    _check_words(config, columns)
    labels = _labels(config, columns)
    split = _split(config, columns, labels)
    features = _features(config, columns, split["train"])
    if config.goal == "regression":
        return _regression(path, features, labels, split)
    return _classification(path, features, labels, split)


def _classification(path: Path, features: Features, labels: Sequence[Value], split: dict[str, Positions]) -> Task:
    classes = sorted(set(labels), key=lambda label: (str(type(label)), label))
    numbers = {label: number for number, label in enumerate(classes)}
    targets = torch.tensor([numbers[label] for label in labels], dtype=torch.int64)
    return Task(
        shape=Shape(item=(features.shape[1],), num_outputs=len(classes), goal="classes"),
        splits=_cut(torch.from_numpy(features), targets, split),
        inputs=(path,),
        outputs=tuple(_name(label) for label in classes),
    )


def _name(label: Value) -> str:
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _regression(path: Path, features: Features, labels: Sequence[Value], split: dict[str, Positions]) -> Task:
    values = np.array(labels, dtype=np.float64)
    mean, deviation = _mean_and_deviation(values[split["train"]])
    targets = torch.from_numpy(((values - mean) / deviation).astype(np.float32))
    return Task(
        shape=Shape(item=(features.shape[1],), num_outputs=1, goal="value"),
        splits=_cut(torch.from_numpy(features), targets, split),
        inputs=(path,),
        target_mean=mean,
        target_deviation=deviation,
    )


def _cut(
    inputs: torch.Tensor, targets: torch.Tensor, split: dict[str, Positions]
) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    return {name: (inputs[positions], targets[positions]) for name, positions in split.items()}


def _check_names(config: TableTable, columns: Columns) -> None:
    wanted = {"label": (config.label,), "categorical": config.categorical, "drop": config.drop}
    wanted["split_by"] = (config.split_by,) if config.split_by else ()
    for field, names in wanted.items():
        for name in names:
            if name not in columns.names:
                close = nearest(name, columns.names)
                hint = f"; did you mean '{close}'?" if close else ""
                raise ConfigError(
                    "SR-TASK-006",
                    f"task.{field}: {config.path} has no column '{name}'{hint}",
                    evidence=[f"columns: {', '.join(columns.names)}"],
                    do=f"-s task.{field}=..., one of the columns above",
                )


def _check_words(config: TableTable, columns: Columns) -> None:
    """Refuse a column of numbers in which a few cells are words: one-hot it would be, and no longer a quantity."""
    left_out = {*config.categorical, *config.drop, config.split_by}
    # A label that must be a number is refused by _labels, whatever share it is.
    left_out |= {config.label} if config.goal == "regression" else set()
    for name, values in zip(columns.names, columns.values, strict=True):
        if name in left_out:
            continue
        texts = [(row, value) for row, value in enumerate(values) if isinstance(value, str)]
        words = [(row, value) for row, value in texts if number_of(value) is None]
        if words and len(texts) - len(words) >= NEARLY_ALL * len(texts):
            raise ConfigError(
                "SR-TASK-014",
                f"task.path: column '{name}' holds {len(texts) - len(words)} numbers and {len(words)} cell(s) of text",
                evidence=[f"row {row + columns.first_line}: {value!r}, wanted a number" for row, value in words[:5]],
                do=f"correct or empty those cells, or take every value for a category: -s task.categorical=[{name}]",
            )


def _labels(config: TableTable, columns: Columns) -> tuple[Value, ...]:
    labels = columns.column(config.label)
    is_number = config.goal == "regression"
    bad = [row for row, label in enumerate(labels) if is_missing(label) or (is_number and isinstance(label, str))]
    if bad:
        wanted = "a finite number" if is_number else "a value"
        raise ConfigError(
            "SR-TASK-007",
            f"task.label: {len(bad)} of {len(labels)} rows have no label in '{config.label}'",
            evidence=[f"row {row + columns.first_line}: {labels[row]!r}, wanted {wanted}" for row in bad[:5]],
            do="remove those rows, or name another label column",
        )
    if not is_number and len(set(labels)) < 2:
        raise one_class(f"task.label: column '{config.label}'", str(labels[0]))
    if not is_number:
        _check_classes(config, labels)
    return labels


def _check_classes(config: TableTable, labels: Sequence[Value]) -> None:
    """Refuse numbers of which most rows have one of their own: a quantity, of which no class could be held out."""
    num_classes = len(set(labels))
    if num_classes <= MOSTLY * len(labels) or not all(isinstance(label, float) for label in labels):
        return
    raise ConfigError(
        "SR-TASK-015",
        f"task.label: '{config.label}' is a quantity, and task.goal is classification",
        evidence=[f"{num_classes} different numbers in {len(labels)} rows, such as {labels[0]!r}"],
        do="-s task.goal=regression, or name a column of classes",
    )


def one_class(where: str, name: str) -> ConfigError:
    """Return the error that says that there is nothing to tell apart."""
    return ConfigError(
        "SR-TASK-008",
        f"{where} has one class only",
        evidence=[f"every item is '{name}'"],
        do="name data with two or more classes",
    )


def _split(config: TableTable, columns: Columns, labels: Sequence[Value]) -> dict[str, Positions]:
    """Hold rows out by their content (or by the group that `split_by` names), each class alike."""
    if config.split_by:
        keys = [str(value) for value in columns.column(config.split_by)]
        strata = [""] * len(labels)
    else:
        keys = [sha256(canonical_bytes(row)) for row in zip(*columns.values, strict=True)]
        strata = [""] * len(labels) if config.goal == "regression" else [str(label) for label in labels]
    split = stratified_split(keys, strata, config.test_fraction, config.validation_fraction)
    check_splits(split, len(labels))
    return split


def check_splits(split: dict[str, Positions], num_items: int) -> None:
    """Refuse a split that leaves "train" or "test" without an item (SR-TASK-010)."""
    for name in ("train", "test"):
        if len(split[name]) == 0:
            raise ConfigError(
                "SR-TASK-010",
                f"task.test_fraction: the split '{name}' has no item",
                evidence=[f"{num_items} items, of which {len(split[other])} in '{other}'" for other in sorted(split)],
                do="use more data, or change task.test_fraction",
            )


def _features(config: TableTable, columns: Columns, train: Positions) -> Features:
    left_out = {config.label, config.split_by, *config.drop}
    encoded = [
        _encode(config, columns, name, values, train)
        for name, values in zip(columns.names, columns.values, strict=True)
        if name not in left_out
    ]
    if not encoded:
        raise ConfigError(
            "SR-TASK-006",
            f"task.drop: {config.path} has no column left to predict '{config.label}' from",
            evidence=[f"columns: {', '.join(columns.names)}", f"left out: {', '.join(sorted(filter(None, left_out)))}"],
            do="drop fewer columns",
        )
    return np.concatenate(encoded, axis=1)


def _encode(config: TableTable, columns: Columns, name: str, values: Sequence[Value], train: Positions) -> Features:
    if name in config.categorical or any(isinstance(value, str) for value in values):
        return _one_hot(values, train)
    missing = [row for row, value in enumerate(values) if is_missing(value)]
    if missing and config.missing == "refuse":
        raise ConfigError(
            "SR-TASK-009",
            f"task.path: column '{name}' has no number in {len(missing)} of {len(values)} rows",
            evidence=[f"row {row + columns.first_line}: {values[row]!r}" for row in missing[:5]],
            do=f"fill them in, take the training mean with -s task.missing=mean, or -s task.drop=[{name}]",
        )
    return _standardised(np.array([math.nan if is_missing(value) else value for value in values], np.float64), train)


def _one_hot(values: Sequence[Value], train: Positions) -> Features:
    """Give each category of the training rows a column, in sorted order; any other value is all zeros."""
    categories = sorted({str(values[row]) for row in train})
    numbers = {category: number for number, category in enumerate(categories)}
    encoded = np.zeros((len(values), len(categories)), dtype=np.float32)
    for row, value in enumerate(values):
        if str(value) in numbers:
            encoded[row, numbers[str(value)]] = 1.0
    return encoded


def _standardised(values: npt.NDArray[np.float64], train: Positions) -> Features:
    mean, deviation = _mean_and_deviation(values[train])
    filled = np.where(np.isnan(values), mean, values)
    return ((filled - mean) / deviation).astype(np.float32)[:, None]


def _mean_and_deviation(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return mean and standard deviation of what is no NaN, summed exactly; a deviation of 0 is given as 1."""
    finite = [float(value) for value in values if not math.isnan(value)]
    if not finite:
        return 0.0, 1.0
    mean = math.fsum(finite) / len(finite)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in finite) / len(finite))
    return mean, deviation or 1.0
