"""The supervised trainer as a part. No torch: the part says where a run is prepared (plan.py)."""

from __future__ import annotations

from samerun.config.parts import Part
from samerun.trainers.supervised.config import SupervisedTable

PART = Part(
    name="supervised",
    config=SupervisedTable,
    build="samerun.trainers.supervised.plan:prepare",
    description="classification, regression and language models, from labelled data",
)
