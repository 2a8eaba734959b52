"""Which feed serves which data set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from loader_samples import PLAIN, Counting, Quiet, augment, is_kept

from samerun.data.assembled import Assembled
from samerun.data.feeds import Columns, Indexed
from samerun.data.opening import open_feed
from samerun.data.options import Options
from samerun.errors import UsageError


@pytest.mark.parametrize(
    ("dataset", "change", "feed", "has_pool"),
    [
        (np.arange(9), {}, Columns, False),
        ((torch.arange(9), np.arange(9)), {"num_workers": 2}, Columns, False),
        ((torch.arange(9), np.arange(9)), {"transform": augment}, Indexed, False),
        ((torch.arange(9), np.arange(9)), {"transform": augment, "num_workers": 2}, Indexed, True),
        (Quiet(9), {}, Indexed, False),
        (Quiet(9), {"num_workers": 1}, Indexed, True),
        (Quiet(9), {"keep": is_kept}, Assembled, False),
        (Quiet(9), {"keep": is_kept, "num_workers": 1}, Assembled, True),
        (Counting(9), {}, Assembled, False),
    ],
)
def test_each_kind_of_data_set_has_its_feed(dataset: Any, change: dict[str, Any], feed: type, has_pool: bool) -> None:
    found, pool = open_feed(dataset, 7, Options(**{**PLAIN, **change}))
    assert type(found) is feed and (pool is not None) is has_pool


def test_a_filtered_epoch_may_be_shorter_than_a_batch_beforehand() -> None:
    found, _ = open_feed(Quiet(3), 7, Options(**{**PLAIN, "keep": is_kept, "drop_last": True}))
    assert isinstance(found, Assembled)
    with pytest.raises(UsageError, match="SR-DATA-012"):
        open_feed(Quiet(3), 7, Options(**{**PLAIN, "drop_last": True}))


def test_a_data_set_that_wants_a_stream_cannot_be_a_stream_itself() -> None:
    with pytest.raises(UsageError, match="SR-DATA-011"):
        open_feed(Counting(9), 7, Options(**{**PLAIN, "draws": "stream"}))
