"""The folder of a reproduction gets its name at the end, with the answer in it: whole or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from samerun.base import clock, files
from samerun.base.sealed import write_sealed
from samerun.rerun.reproducing.answer import SCHEMA, Reproduction

REPRODUCTION: Final = "reproduction.json"
"""The answer, in the folder of a reproduction."""
FORMAT: Final = 1


def publish(answer: Reproduction, work: Path, target: Path) -> Reproduction:
    """Write the answer into the finished folder `work`, give that the name `target`, and return the answer with it."""
    answer = replace(answer, folder=target)
    document = {key: value for key, value in answer.as_json().items() if key != "folder"}
    # ORDER: the answer is written last, then the folder gets its name; nothing of that name was there before.
    write_sealed(work / REPRODUCTION, {"schema": SCHEMA, "format": FORMAT, "date": clock.utc_now(), **document})
    files.rename(work, target.absolute())
    return answer
