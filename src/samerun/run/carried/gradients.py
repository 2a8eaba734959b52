"""Gradients that lie there when a step begins, and whether the step uses them.

Most loops leave gradients behind and clear them before the next backward pass: those are no state. An accumulation over
several steps adds to them, or updates from them: those are. Which it is, is seen: a hook on each parameter that had a
gradient tells whether it is still the same one when something is added to it or an optimizer reads it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from samerun.base.digest import xxh3
from samerun.run.carried.tokens import Token
from samerun.state.digest import digest_tensor


def gradients_token(module: Any) -> Token:
    """Return the token of all gradients of a module; none and zero are the same."""
    found = [(name, parameter.grad) for name, parameter in module.named_parameters() if _is_filled(parameter.grad)]
    if not found:
        return "none", "none"
    token = xxh3(";".join(f"{name} {digest_tensor(grad)}" for name, grad in found).encode())
    return token, f"gradients of {len(found)} parameters ({token[5:13]})"


def _is_filled(grad: Any) -> bool:
    return grad is not None and not grad.is_sparse and bool(grad.count_nonzero())


class GradientUse:
    """Watches one step for uses of gradients that were there before it."""

    def __init__(self, modules: Mapping[str, Any]) -> None:
        """`modules` by the path under which their gradients are reported."""
        self.used: set[str] = set()
        """Paths of modules whose old gradients were used."""
        self._carried: dict[int, tuple[str, Any, int, int]] = {}
        self._handles: list[Any] = []
        for path, module in modules.items():
            for parameter in module.parameters():
                if _is_filled(parameter.grad):
                    self._watch(path, parameter)
        if self._carried:
            hooks = sys.modules["torch.optim.optimizer"]
            self._handles.append(hooks.register_optimizer_step_pre_hook(self._before_update))

    def _watch(self, path: str, parameter: Any) -> None:
        self._carried[id(parameter)] = (path, parameter, id(parameter.grad), parameter.grad._version)
        if parameter.requires_grad:
            self._handles.append(parameter.register_hook(lambda _: self._note(parameter)))

    def _before_update(self, optimizer: Any, arguments: Any, named: Any) -> None:
        if any(callable(given) for given in (*arguments, *named.values())):
            return  # a closure makes gradients anew; whether it adds to old ones, the hooks of the parameters tell
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                self._note(parameter)

    def _note(self, parameter: Any) -> None:
        carried = self._carried.pop(id(parameter), None)
        if carried is None or parameter.grad is None:
            return
        path, _, grad, version = carried
        if id(parameter.grad) == grad and parameter.grad._version == version:
            self.used.add(path)

    def end(self) -> None:
        """Stop watching."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self._carried.clear()
