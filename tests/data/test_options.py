"""Which options of a loader cannot be."""

from __future__ import annotations

from typing import Any

import pytest
from loader_samples import PLAIN

from samerun.data.options import Options
from samerun.errors import UsageError


@pytest.mark.parametrize("change", [{}, {"prefetch": 1}, {"prefetch": 32}, {"num_workers": 64}, {"batch_size": 1}])
def test_options_at_their_limits_pass(change: dict[str, Any]) -> None:
    assert not Options(**{**PLAIN, **change}).is_assembled


def test_all_wrong_options_are_reported_together() -> None:
    with pytest.raises(UsageError, match="SR-DATA-011") as caught:
        Options(**{**PLAIN, "batch_size": 0, "num_workers": 1.0, "prefetch": 33})
    assert [line.split(":")[0] for line in caught.value.evidence] == ["batch_size", "num_workers", "prefetch"]


def test_a_filter_makes_batches_that_only_reading_can_tell() -> None:
    assert Options(**{**PLAIN, "keep": bool}).is_assembled


def test_what_a_stream_cannot_have_is_named() -> None:
    with pytest.raises(UsageError, match="does not go with a stream") as caught:
        Options(**{**PLAIN, "num_workers": 2, "item_id": [1]}).check_for_stream(takes_stream=True)
    assert caught.value.evidence[0] == "given: num_workers, item_id, draws='stream' without a transform"
