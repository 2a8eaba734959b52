"""What is refused before a run folder exists: settings that contradict each other or the data, and a model whose output
the loss cannot take. Contents of files are checked by the task that reads them.
"""

from __future__ import annotations

import torch

from samerun.errors import ConfigError
from samerun.streams import ambient
from samerun.streams.stream import StreamSource
from samerun.trainers.models.shape import Shape
from samerun.trainers.optim import group_parameters
from samerun.trainers.supervised.config import SupervisedTable
from samerun.trainers.supervised.evaluate import METRICS, batches_of
from samerun.trainers.supervised.tasks.task import Task, num_items


def check_settings(config: SupervisedTable, task: Task) -> None:
    """Raise ConfigError: SR-TRAINER-008 a metric that is never evaluated, -010 a batch larger than the data, -011 label
    smoothing of a number.
    """
    _check_batches(config, task)
    _check_smoothing(config, task.shape)
    columns = tuple(f"evaluate/{name}" for name in METRICS[task.shape.goal])
    if config.early_stop is not None:
        _check_metric(config, "early_stop.metric", config.early_stop.metric, columns)
    best = config.checkpoint.best
    if best is not None and not best.metric.startswith("train/"):
        _check_metric(config, "checkpoint.best.metric", best.metric, columns)


def rehearse(config: SupervisedTable, task: Task) -> None:
    """Build the model once, under any seed, sort its parameters into groups, and pass two items through it.

    Raises ConfigError: SR-TRAINER-001, -004, -005, and -009 for an output of the wrong shape. No generator is moved.
    """
    source = StreamSource(0)
    with ambient.scope(source.open("ambient/throwaway")), torch.no_grad():
        model: torch.nn.Module = config.model.build()(config.model.settings, task.shape, source)
        group_parameters(model, config.optimizer.settings)
        inputs, targets = next(batches_of(task.splits["train"], 2))
        outputs = model.eval()(inputs)
    wanted = (*targets.shape, task.shape.num_outputs)
    if tuple(outputs.shape) != wanted:
        raise ConfigError(
            "SR-TRAINER-009",
            f"model.kind: {config.model.kind} gives outputs of another shape than the task needs",
            evidence=[f"given: {tuple(outputs.shape)} for inputs {tuple(inputs.shape)}", f"wanted: {wanted}"],
            do="return shape.num_outputs numbers for each target (samerun.trainers.models.shape.Shape)",
        )


def _check_batches(config: SupervisedTable, task: Task) -> None:
    size = num_items(task.splits["train"])
    if config.batch_size <= size:
        return
    raise ConfigError(
        "SR-TRAINER-010",
        f"batch_size: {config.batch_size} items do not fit in a training split of {size}",
        evidence=[f"batch_size: {config.batch_size}", f"items in the split 'train': {size}"],
        do=f"-s batch_size={size}, or less",
    )


def _check_smoothing(config: SupervisedTable, shape: Shape) -> None:
    if shape.goal != "value" or config.label_smoothing == 0.0:
        return
    raise ConfigError(
        "SR-TRAINER-011",
        "label_smoothing: there are no classes to spread a target over in a regression",
        evidence=[f"label_smoothing: {config.label_smoothing}"],
        do="-s label_smoothing=0",
    )


def _check_metric(config: SupervisedTable, key: str, metric: str, columns: tuple[str, ...]) -> None:
    if metric in columns and config.evaluate.every > 0:
        return
    found = "evaluate.every: 0, so nothing is evaluated" if metric in columns else f"evaluated: {', '.join(columns)}"
    do = "-s evaluate.every=100" if metric in columns else f"-s {key}={columns[0]}"
    raise ConfigError("SR-TRAINER-008", f"{key}: no evaluation gives '{metric}'", evidence=[found], do=do)
