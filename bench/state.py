"""Digest of the state of a model and its optimizer, against copying the same tensors."""

from __future__ import annotations

from itertools import pairwise

import torch
from measure import Figure, human, in_turns

from samerun.state.view import StateView


def figures() -> list[Figure]:
    return [_figure("a small model", 64, 64, 4, 400), _figure("100 MB", 2048, 2048, 2, 3)]


def _figure(title: str, width: int, hidden: int, layers: int, times: int) -> Figure:
    model, optim = model_with_state(width, hidden, layers)
    view = StateView({"model": model, "optim": optim})
    tensors = [*model.state_dict().values()]
    tensors += [slot for slots in optim.state_dict()["state"].values() for slot in slots.values()]

    def ours() -> None:
        for _ in range(times):
            view.digests()

    def theirs() -> None:
        for _ in range(times):
            for tensor in tensors:
                tensor.clone()

    pair = in_turns(ours, theirs)
    size = sum(tensor.nbytes for tensor in tensors)
    return Figure(
        f"state digest, {title}, {size / 1e6:.2g} MB in {len(tensors)} tensors",
        human(pair.ours / times),
        f"{human(pair.theirs / times)} (copy)",
        pair.ratio,
        "<= 1",
        pair.ratio <= 1.0,
        f"{size * times / pair.ours / 1e9:.1f} GB/s; the digest covers settings and structure too",
    )


def model_with_state(width: int, hidden: int, layers: int) -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    """A stack of linear layers and AdamW after one step, so that its slots are filled."""
    sizes = [width, *[hidden] * (layers - 1), width]
    model = torch.nn.Sequential(*(torch.nn.Linear(a, b) for a, b in pairwise(sizes)))
    optim = torch.optim.AdamW(model.parameters())
    model(torch.ones(2, width)).sum().backward()
    optim.step()
    return model, optim
