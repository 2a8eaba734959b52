"""Which parameter each number in the state of a tracked optimizer stands for: its state_dict has numbers, no names.

A checkpoint keeps the names, so that a difference in a slot can be told by its parameter.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping


def parameter_names(objects: Mapping[str, object]) -> dict[str, list[str | None]]:
    """Name the parameters of each tracked optimizer, in the order of its state_dict; None for one of no tracked module.

    A name is component and path (`model.fc.weight`); a parameter shared by several has that of the first.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    names: dict[int, str] = {}
    for component, thing in objects.items():
        if isinstance(thing, torch.nn.Module):
            for path, parameter in thing.named_parameters():
                names.setdefault(id(parameter), f"{component}.{path}")
    return {
        component: [names.get(key) for key in _numbered(thing.param_groups)]
        for component, thing in objects.items()
        if isinstance(thing, torch.optim.Optimizer)
    }


def _numbered(groups: list[dict[str, list[object]]]) -> list[int]:
    # As torch.optim.Optimizer.state_dict numbers them: through the groups, each parameter once.
    return list(dict.fromkeys(id(parameter) for group in groups for parameter in group["params"]))
