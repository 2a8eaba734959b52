"""The built-in tasks as parts."""

from __future__ import annotations

from samerun.config.parts import find_part, load_build
from samerun.trainers.supervised.tasks import part


def test_every_task_is_found_by_its_entry_point_and_can_be_loaded() -> None:
    for task in (part.DIGITS, part.TABLE, part.IMAGES, part.TEXT):
        assert find_part("tasks", task.name, None) == task
        assert callable(load_build(task))
