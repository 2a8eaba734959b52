"""Trail rows: every row has the same columns, whatever is known."""

from samerun.base.canon import canonical_bytes
from samerun.record.trail import trail_row

COLUMNS = ("step", "batch", "streams", "ambient", "loss", "state", "kind", "segment")


def test_a_row_has_every_column() -> None:
    row = trail_row(
        1, batch="xxh3:0", streams={"data/order": 2}, ambient="ff", loss="xxh3:1", state={"model": "xxh3:2"}
    )
    assert tuple(row) == COLUMNS
    assert (row["kind"], row["segment"]) == ("xxh3", 0)
    assert canonical_bytes(row)


def test_a_thinned_row_has_them_too() -> None:
    row = trail_row(1, batch=None, streams={}, ambient="ff", loss=None, state=None, segment=2)
    assert tuple(row) == COLUMNS
    assert row["state"] is None and row["segment"] == 2


def test_a_row_does_not_share_what_it_was_given() -> None:
    streams = {"a": 1}
    row = trail_row(1, batch=None, streams=streams, ambient="ff", loss=None, state=None)
    streams["b"] = 2
    assert row["streams"] == {"a": 1}
