"""The transformer."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn import functional as F

from samerun.errors import ConfigError
from samerun.streams.source import StreamSource
from samerun.trainers.models.config import GptTable
from samerun.trainers.models.gpt import Gpt, build
from samerun.trainers.models.shape import Shape

WINDOW, VOCABULARY = 12, 40


def made(**values: Any) -> Gpt:
    table = GptTable(**{"layers": 2, "heads": 2, "width": 16, **values})
    return build(table, Shape((WINDOW,), VOCABULARY, "tokens"), StreamSource(1))


def tokens(batch: int = 3) -> torch.Tensor:
    return (torch.arange(batch * WINDOW, dtype=torch.int32) * 7 % VOCABULARY).view(batch, WINDOW)


@pytest.mark.parametrize("norm", ["rmsnorm", "layernorm"])
def test_it_gives_logits_for_every_position(norm: str) -> None:
    assert made(norm=norm)(tokens()).shape == (3, WINDOW, VOCABULARY)


def test_a_position_sees_no_later_token() -> None:
    model, before = made().eval(), tokens(1)
    after = before.clone()
    after[0, 7] = (after[0, 7] + 1) % VOCABULARY
    first, second = model(before), model(after)
    assert torch.equal(first[0, :7], second[0, :7])
    assert not torch.equal(first[0, 7:], second[0, 7:])


def test_the_output_layer_is_the_token_embedding() -> None:
    names = [name for name, _ in made().named_parameters()]
    assert "tokens.weight" in names and not any("head" in name for name in names)


def test_it_begins_with_a_guess_that_is_almost_even() -> None:
    logits = made().eval()(tokens())
    even = torch.tensor(float(VOCABULARY)).log()
    targets = (tokens().long() + 13) % VOCABULARY
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    assert abs(float(loss.detach() - even)) < 0.1


def gradients(*, activation_checkpointing: bool) -> dict[str, torch.Tensor]:
    model = made(dropout=0.3, activation_checkpointing=activation_checkpointing).train()
    torch.manual_seed(5)
    model(tokens()).square().sum().backward()
    return {name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None}


def test_recomputed_activations_give_the_same_gradients_under_dropout() -> None:
    kept, recomputed = gradients(activation_checkpointing=False), gradients(activation_checkpointing=True)
    assert all(torch.equal(kept[name], recomputed[name]) for name in kept)


def test_images_are_refused() -> None:
    with pytest.raises(ConfigError, match="SR-TRAINER-001"):
        build(GptTable(), Shape((1, 8, 8), 10, "classes"), StreamSource(1))
