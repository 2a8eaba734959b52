"""Settings of the built-in tasks. No torch: recipes are checked without it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from samerun.config.schema import Count, Positive, Table, Text, aside

Share = Annotated[float, Field(ge=0.0, lt=1.0)]

PATH_REASON = "where the data lies; the digest of its content is identity"


class SplitTable(Table):
    """How much is held out, of each class alike. Which items, is a function of their content."""

    test_fraction: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.2
    """Share of the items in the split `test`."""
    validation_fraction: Share = 0.1
    """Share of the items in the split `validation`, which is evaluated during training; 0 for none."""

    @model_validator(mode="after")
    def _something_is_left_to_train_on(self) -> SplitTable:
        if self.test_fraction + self.validation_fraction >= 1.0:
            raise ValueError("test_fraction and validation_fraction leave nothing to train on")
        return self


class AugmentTable(Table):
    """Random changes of each training image, drawn for its (epoch, item)."""

    crop_padding: Count = 0
    """Pixels by which an image is padded before its size is cut out again at random; 0 for no crop."""
    flip: bool = False
    """Mirror half of the images left to right."""


class DigitsTable(SplitTable):
    """scikit-learn's 1,797 handwritten digits."""

    augment: AugmentTable = AugmentTable()
    """Random changes of training images."""


class TableTable(SplitTable):
    """Rows of a CSV or Parquet file with a label column."""

    path: Text = aside(..., PATH_REASON)
    """A .csv file with a header line, or a .parquet file."""
    label: Text
    """Name of the column to predict."""
    goal: Literal["classification", "regression"] = "classification"
    """Whether the label names a class or is a number."""
    categorical: tuple[Text, ...] = ()
    """Columns of numbers to treat as categories; columns of text always are."""
    drop: tuple[Text, ...] = ()
    """Columns to leave out."""
    split_by: Text | None = None
    """A column whose equal values stay on one side of the split (a patient, a user); it is no feature."""
    missing: Literal["refuse", "mean"] = "refuse"
    """What to do about a missing number: refuse the file, or take the column's mean over the training rows."""


class ImagesTable(SplitTable):
    """Images in one folder for each class."""

    path: Text = aside(..., PATH_REASON)
    """The folder that holds the class folders."""
    size: Positive = 32
    """Height and width to which each image is scaled."""
    color: Literal["rgb", "gray"] = "rgb"
    """Three channels or one."""
    augment: AugmentTable = AugmentTable()
    """Random changes of training images."""


class TextTable(Table):
    """Text to predict the next token of."""

    path: Text = aside(..., PATH_REASON)
    """A .txt or .jsonl file, a folder of them, or samerun:NAME for a text inside this package."""
    field: Text = "text"
    """The key that holds the text in each line of a .jsonl file."""
    tokenizer: Literal["bytes", "bpe"] = "bytes"
    """One token a byte, or byte pairs learned from the training split."""
    vocabulary_size: Annotated[int, Field(ge=257)] = 1024
    """Tokens that `bpe` learns, the 256 bytes among them."""
    window: Annotated[int, Field(ge=2)] = 128
    """Tokens in one item."""
    stride: Positive | None = None
    """Tokens from the start of one training window to the next; null is one window, so that none overlap."""
    test_fraction: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.1
    """Share of the text, at its end, in the split `test`."""
    validation_fraction: Share = 0.1
    """Share of the text, before the test split, in the split `validation`; 0 for none."""
