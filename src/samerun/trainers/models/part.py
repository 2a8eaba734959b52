"""The built-in models as parts. No torch: a part says where it is built.

A model of your own is a Part too: `build(settings, shape, source)` returns a `torch.nn.Module` for a
`samerun.trainers.models.shape.Shape`; `source` opens named streams, and torch's own initialisation draws from
`ambient/setup`.
"""

from __future__ import annotations

from samerun.config.parts import Part
from samerun.trainers.models import config

MLP = Part(
    name="mlp",
    config=config.MlpTable,
    build="samerun.trainers.models.mlp:build",
    description="multilayer perceptron over the flattened item",
)
CNN = Part(
    name="cnn",
    config=config.CnnTable,
    build="samerun.trainers.models.cnn:build",
    description="small convolutional network for images",
)
GPT = Part(
    name="gpt",
    config=config.GptTable,
    build="samerun.trainers.models.gpt:build",
    description="decoder-only transformer for text",
)
