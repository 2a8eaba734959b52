"""Where data lies, and what a task says of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from samerun.errors import ConfigError
from samerun.trainers.supervised.tasks.task import locate, num_items


def test_a_relative_path_starts_at_the_project_folder(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("x")
    assert locate("data.csv", tmp_path) == tmp_path / "data.csv"


def test_the_built_in_text_is_found_by_name() -> None:
    assert locate("samerun:genesis.txt", None).stat().st_size > 190_000


@pytest.mark.parametrize("path", ["gone.csv", "samerun:gone.txt"])
def test_a_path_to_nothing_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(ConfigError, match="SR-TASK-001"):
        locate(path, tmp_path)


def test_items_are_counted_in_memory_and_by_index() -> None:
    assert num_items((torch.zeros(7, 2), torch.zeros(7))) == 7
    assert num_items([(torch.zeros(2), 0)] * 3) == 3  # type: ignore[arg-type]
