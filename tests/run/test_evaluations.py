"""Results of evaluations that stand outside any step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from samerun.base.sealed import read_sealed
from samerun.errors import UsageError
from samerun.record.reader import RunRecord
from samerun.run.evaluations import write_evaluation
from samerun.run.run import Run


def test_an_evaluation_after_the_loop_is_a_file_beside_the_rows(start: Callable[..., Run]) -> None:
    with start() as run:
        list(run.steps(3))
        with run.evaluation("test") as evaluation:
            evaluation.log(accuracy=np.float32(0.5), count=4)
    document = read_sealed(run.folder / "evaluations" / "test.json")
    assert document["metrics"] == {"test/accuracy": 0.5, "test/count": 4}
    assert (document["tag"], document["step"]) == ("test", 3)
    assert all("test/accuracy" not in row for row in RunRecord.open(run.folder).metrics())


def test_a_later_result_replaces_an_earlier_one(tmp_path: Path) -> None:
    (tmp_path / "evaluations").mkdir()
    for value in (1.0, 2.0):
        write_evaluation(tmp_path, "val", 3, {"val/x": value})
    assert read_sealed(tmp_path / "evaluations" / "val.json")["metrics"] == {"val/x": 2.0}


@pytest.mark.parametrize("name", ["../up", "a/b", ""])
def test_a_name_that_is_a_path_writes_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / "evaluations").mkdir()
    with pytest.raises(UsageError):
        write_evaluation(tmp_path, name, 0, {"x": 1.0})
    assert [path.name for path in tmp_path.rglob("*")] == ["evaluations"]
