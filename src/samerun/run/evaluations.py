"""`evaluations/<name>.json`: the result of an evaluation that stands outside any step of a loop."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samerun.base.sealed import write_sealed
from samerun.record import layout
from samerun.run.numbers import read_numbers


def write_evaluation(folder: Path, name: str, step: int, numbers: Mapping[str, Any]) -> None:
    """Write the numbers of the evaluation `name` at `step` completed steps, replacing an earlier result."""
    document = {"schema": "samerun.evaluation", "format": layout.RUN_FORMAT, "tag": name, "step": step}
    write_sealed(layout.evaluation_file(folder, name), {**document, "metrics": read_numbers(numbers)})
