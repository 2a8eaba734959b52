"""A decoder-only transformer in the manner of GPT-2: pre-norm blocks of causal attention and a GELU perceptron,
learned positions, the output layer tied to the token embedding. Sampling text from it is not here.

Source: Radford et al. 2019 (GPT-2); RMSNorm: Zhang and Sennrich 2019; tied embeddings: Press and Wolf 2017.
"""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from samerun.streams.source import StreamSource
from samerun.trainers.models.config import GptTable
from samerun.trainers.models.init import deviation_bound, draw_weights, fan_in
from samerun.trainers.models.shape import Shape, unfit

# B batch, T tokens, D width, H heads, V vocabulary

EMBEDDING_DEVIATION = 0.1
"""Measured on text-gpt: 0.02, as in GPT-2, learned far slower at a width of 64 to 96."""


class Attention(nn.Module):
    """Causal self-attention with `num_heads` heads."""

    def __init__(self, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.dropout = dropout
        self.query_key_value = nn.Linear(width, 3 * width, bias=False)
        self.output = nn.Linear(width, width, bias=False)

    def forward(self, x_BTD: torch.Tensor) -> torch.Tensor:
        """Return, for each position, a mixture of the values at it and before it."""
        batch, tokens, width = x_BTD.shape
        heads = self.query_key_value(x_BTD).view(batch, tokens, 3, self.num_heads, width // self.num_heads)
        query_BHTd, key_BHTd, value_BHTd = heads.permute(2, 0, 3, 1, 4).unbind(0)
        mixed_BHTd = F.scaled_dot_product_attention(
            query_BHTd, key_BHTd, value_BHTd, dropout_p=self.dropout if self.training else 0.0, is_causal=True
        )
        mixed: torch.Tensor = self.output(mixed_BHTd.transpose(1, 2).reshape(batch, tokens, width))
        return mixed


class Block(nn.Module):
    """One residual block: attention, then a perceptron four times as wide."""

    def __init__(self, config: GptTable) -> None:
        super().__init__()
        self.attention_norm = _norm(config)
        self.attention = Attention(config.width, config.heads, config.dropout)
        self.perceptron_norm = _norm(config)
        self.up = nn.Linear(config.width, 4 * config.width, bias=False)
        self.down = nn.Linear(4 * config.width, config.width, bias=False)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x_BTD: torch.Tensor) -> torch.Tensor:
        """Return (B, T, D)."""
        x_BTD = x_BTD + self.dropout(self.attention(self.attention_norm(x_BTD)))
        widened = F.gelu(self.up(self.perceptron_norm(x_BTD)))
        deepened: torch.Tensor = x_BTD + self.dropout(self.down(widened))
        return deepened


class Gpt(nn.Module):
    """Map token numbers (B, T) to logits (B, T, V); position t sees tokens 0..t only."""

    def __init__(self, config: GptTable, num_positions: int, vocabulary_size: int) -> None:
        super().__init__()
        self.recomputes = config.activation_checkpointing
        self.tokens = nn.Embedding(vocabulary_size, config.width)
        self.positions = nn.Embedding(num_positions, config.width)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = _norm(config)

    def forward(self, tokens_BT: torch.Tensor) -> torch.Tensor:
        """Return logits (B, T, V). With activation checkpointing a block is computed again in the backward pass, with
        the same dropout masks: torch puts the global generator back for it.
        """
        positions_T = torch.arange(tokens_BT.shape[1], device=tokens_BT.device)
        x_BTD = self.dropout(self.tokens(tokens_BT) + self.positions(positions_T))
        for block in self.blocks:
            if self.recomputes and self.training:
                x_BTD = checkpoint(block, x_BTD, use_reentrant=False)
            else:
                x_BTD = block(x_BTD)
        return F.linear(self.norm(x_BTD), self.tokens.weight)


def build(config: GptTable, shape: Shape, source: StreamSource) -> Gpt:
    """Build the transformer for windows of `shape.item[0]` tokens and draw its weights.

    A linear layer's weights have the variance 1 / fan_in (LeCun et al. 1998, equation 16); the two layers that write to
    the residual stream have it divided by 2 * layers, so that the stream does not grow with depth (GPT-2, section 2.3).
    """
    if shape.goal != "tokens":
        raise unfit("gpt", "windows of tokens", shape)
    model = Gpt(config, shape.item[0], shape.num_outputs)

    def bound(name: str, layer: nn.Module) -> float:
        if isinstance(layer, nn.Embedding):
            return deviation_bound(EMBEDDING_DEVIATION)
        num_writers = 2 * config.layers if name.endswith((".attention.output", ".down")) else 1
        return deviation_bound(math.sqrt(1.0 / (fan_in(layer) * num_writers)))

    draw_weights(model, source, bound)
    return model


def _norm(config: GptTable) -> nn.Module:
    return nn.RMSNorm(config.width) if config.norm == "rmsnorm" else nn.LayerNorm(config.width)
