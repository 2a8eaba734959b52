"""Promise 3: a named stream, a metric, an evaluation or a diagnostic in a scope changes no other number."""

from pathlib import Path
from typing import Any

import pytest
from promise_lab import Lab, numbers

WATCHING: list[dict[str, Any]] = [
    {"evaluate_every": 1},
    {"evaluate_every": 7},
    {"evaluate_every": 2, "evaluation_fails": True},
    {"diagnostic": True},
    {"extra_stream": True},
    {"extra_metric": True},
]


@pytest.mark.parametrize("options", WATCHING, ids=lambda options: "-".join(options))
def test_what_watches_moves_nothing(here: Lab, tmp_path: Path, options: dict[str, Any]) -> None:
    alone = numbers(here.done("plain", tmp_path / "a"), without="watch/")
    watched = numbers(here.done("plain", tmp_path / "b", **options), without="watch/")
    for row in watched["trail"]:
        row["streams"].pop("step/{step}/user/extra", None)
    assert alone == watched


def test_a_global_draw_in_a_step_changes_that_step_and_shows_in_its_fingerprint(here: Lab, tmp_path: Path) -> None:
    alone, drawn = here.done("plain", tmp_path / "a"), here.done("plain", tmp_path / "b", draw_at=4)
    before, after = ([row["ambient"] for row in found["trail"]] for found in (alone, drawn))
    assert [index for index, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]] == [4]
