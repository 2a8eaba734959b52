"""The door: what the rest of samerun, and users, open streams with."""

from __future__ import annotations

import numpy as np
import torch

import samerun
from samerun.streams import named, source, stream


def test_the_door_leads_to_the_one_definition_of_each() -> None:
    assert stream.Stream is named.Stream
    assert stream.StreamSource is source.StreamSource
    assert stream.Streams is source.Streams is samerun.Streams


def test_the_example_of_the_readme_works() -> None:
    streams = samerun.Streams(seed=7)
    rng = streams.stream("augment", epoch=3, item=17).numpy()
    assert isinstance(rng, np.random.Generator)
    assert rng.normal(size=3).shape == (3,)
    gen = streams.stream("dropout", layer=2).torch("cpu")
    assert isinstance(gen, torch.Generator)
    assert torch.rand(3, generator=gen).shape == (3,)
    order = streams.stream("order", epoch=3).permutation(1000)
    assert sorted(order.tolist()) == list(range(1000))
