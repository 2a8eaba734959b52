"""Order of items in an epoch, as a pure function of (seed, loader's name, epoch, number of items).

Batching and positions live in loader.py and requests.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samerun.streams.named import Stream
from samerun.streams.source import StreamSource

Ids = NDArray[np.int64]

ORDER = "data/order/epoch/{epoch}"
"""The template that an order is drawn from; a batch that begins an epoch reports the draws under it."""
DEFAULT_NAME = "data"


def order_stream(source: StreamSource, epoch: int, name: str = DEFAULT_NAME) -> Stream:
    """Open the stream of an epoch's order; loaders with another name than "data" have streams below it."""
    stream = source.open(ORDER, epoch=epoch)
    return stream if name == DEFAULT_NAME else stream.child("loader", name)


def epoch_order(source: StreamSource, epoch: int, n: int, shuffle: bool, name: str = DEFAULT_NAME) -> Ids:
    """Return the order of the items 0..n-1 in an epoch, int64 of shape (n,); 0..n-1 itself without shuffle."""
    if not shuffle:
        return np.arange(n, dtype=np.int64)
    return order_stream(source, epoch, name).permutation(n)
