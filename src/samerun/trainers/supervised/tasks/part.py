"""The built-in tasks as parts. No torch: a part says where it is loaded.

A task of your own is a Part too: `load(settings, project)` returns a `samerun.trainers.supervised.tasks.task.Task`.
"""

from __future__ import annotations

from samerun.config.parts import Part
from samerun.trainers.supervised.tasks import config

DIGITS = Part(
    name="digits",
    config=config.DigitsTable,
    build="samerun.trainers.supervised.tasks.digits:load",
    description="scikit-learn's 1,797 handwritten digits",
)
TABLE = Part(
    name="table",
    config=config.TableTable,
    build="samerun.trainers.supervised.tasks.table:load",
    description="rows of a CSV or Parquet file with a label column",
)
IMAGES = Part(
    name="images",
    config=config.ImagesTable,
    build="samerun.trainers.supervised.tasks.images:load",
    description="images in one folder for each class",
)
TEXT = Part(
    name="text",
    config=config.TextTable,
    build="samerun.trainers.supervised.tasks.text:load",
    description="plain text or JSONL, to predict the next token of",
)
