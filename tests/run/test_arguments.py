"""Arguments without meaning are refused before anything is made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samerun.errors import UsageError
from samerun.run.arguments import check_count

UNUSABLE: list[dict[str, Any]] = [
    {"exact_except": "aten::cumsum"},
    {"exact_except": [5]},
    {"aside": "output_dir"},
    {"checkpoint": 3},
    {"trail": [1]},
    {"runs": 5},
    {"sinks": 3},
    {"sinks": [object()]},
    {"name": 5},
]


@pytest.mark.parametrize("given", UNUSABLE, ids=lambda given: next(iter(given)))
def test_an_argument_of_the_wrong_kind_is_named_and_no_folder_is_made(
    given: dict[str, Any], start: Callable[..., Any], tmp_path: Path
) -> None:
    (argument,) = given
    with pytest.raises(UsageError) as caught:
        start(**given)
    assert caught.value.code == "SR-RUN-020"
    assert [line.split(":")[0] for line in caught.value.evidence] == [argument]
    assert not (tmp_path / "runs").exists()


def test_all_unusable_arguments_are_named_at_once(start: Callable[..., Any]) -> None:
    with pytest.raises(UsageError) as caught:
        start(exact_except="a", sinks=[1, 2], checkpoint=3)
    assert [line.split(":")[0] for line in caught.value.evidence] == ["checkpoint", "exact_except", "sinks", "sinks"]


@pytest.mark.parametrize("count", [-1, 2.5, "3", True, None])
def test_a_count_is_a_whole_number_from_0(count: object) -> None:
    with pytest.raises(UsageError) as caught:
        check_count(count, "run.steps")
    assert caught.value.code == "SR-RUN-020" and repr(count) in caught.value.evidence[0]


def test_numpy_counts_are_counts() -> None:
    assert check_count(np.int64(3), "run.steps") == 3 and type(check_count(np.int64(3), "run.steps")) is int


def test_the_loop_refuses_a_count_before_it_begins(start: Callable[..., Any]) -> None:
    with start() as run:
        for call in (run.steps, run.epochs):
            with pytest.raises(UsageError, match="SR-RUN-020"):
                list(call(-1))
        assert list((run.folder / "checkpoints").iterdir()) == []
