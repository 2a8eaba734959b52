"""Settings of the built-in models. No torch: recipes are checked without it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from samerun.config.schema import Positive, Table

Dropout = Annotated[float, Field(ge=0.0, lt=1.0)]


class MlpTable(Table):
    """A multilayer perceptron over the flattened item."""

    hidden: tuple[Positive, ...] = (64, 64)
    """Width of each hidden layer; none is a linear model."""
    activation: Literal["relu", "gelu", "tanh"] = "relu"
    """Nonlinearity after each hidden layer."""
    norm: Literal["none", "layernorm"] = "none"
    """Normalisation before each nonlinearity."""
    dropout: Dropout = 0.0
    """Share of hidden units dropped in training."""


class CnnTable(Table):
    """A convolutional network for images."""

    channels: Annotated[tuple[Positive, ...], Field(min_length=1)] = (32, 64)
    """Filters of each stage; a stage halves height and width."""
    norm_groups: Positive = 8
    """Groups of each group norm; every entry of `channels` must be a multiple of it or smaller."""
    dropout: Dropout = 0.0
    """Share of features dropped in training, before the last layer."""

    @model_validator(mode="after")
    def _groups_divide_channels(self) -> CnnTable:
        odd = [channels for channels in self.channels if channels % min(self.norm_groups, channels)]
        if odd:
            raise ValueError(f"channels {odd} cannot be split into {self.norm_groups} groups for the norm")
        return self


class GptTable(Table):
    """A decoder-only transformer for text; its context is the window of the task."""

    layers: Positive = 4
    """Number of blocks."""
    heads: Positive = 4
    """Attention heads of each block; must divide `width`."""
    width: Positive = 64
    """Size of the vector at each position."""
    norm: Literal["rmsnorm", "layernorm"] = "rmsnorm"
    """Normalisation before attention, before the perceptron and before the output."""
    dropout: Dropout = 0.0
    """Share dropped of attention weights, of each residual branch and of the embeddings, in training."""
    activation_checkpointing: bool = False
    """Compute each block again in the backward pass instead of keeping its activations."""

    @model_validator(mode="after")
    def _heads_divide_width(self) -> GptTable:
        if self.width % self.heads:
            raise ValueError(f"a width of {self.width} cannot be shared equally by {self.heads} heads")
        return self
