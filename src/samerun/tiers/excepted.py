"""`exact_except`: named operations may lack a deterministic kernel; every other one still raises.

Not done with torch's warn-only mode for everything: there attention silently takes its non-deterministic backward
(measured in torch's source: it warns once, then runs on). Instead the kernels of the named operations, and only these,
are wrapped: strict mode is lifted for the call and put back. Nothing else pays for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from samerun.base.text import did_you_mean
from samerun.errors import ConfigError
from samerun.tiers.strict import OFF, strictly

_DEVICE_KEYS = ("CPU", "CUDA")


class ExceptedOperations:
    """Operations that may run without a deterministic kernel, in force until `undo`. Counts how often each ran."""

    def __init__(self, names: Sequence[str]) -> None:
        import torch

        self.counts: dict[str, int] = dict.fromkeys(sorted(set(names)), 0)
        """Excepted operation -> how often it has run."""
        library: Any = torch.library  # untyped in torch
        spaces = sorted({name.partition("::")[0] for name in self.counts})
        self._libraries = {space: library.Library(space, "IMPL") for space in spaces}
        for name in self.counts:
            for overload in _overloads(name):
                self._wrap(name, overload)

    def undo(self) -> None:
        """Give the operations their own kernels back."""
        for library in self._libraries.values():
            library._destroy()

    def _wrap(self, name: str, overload: Any) -> None:
        import torch

        for key in _DEVICE_KEYS:
            if not torch._C._dispatch_has_kernel_for_dispatch_key(overload._name, key):
                continue
            kernel = torch.library.get_kernel(overload, key)
            space, _, spelled = overload._name.partition("::")
            with warnings.catch_warnings(action="ignore"):
                self._libraries[space].impl(spelled, self._lifting(name, kernel), key, with_keyset=True)

    def _lifting(self, name: str, kernel: Any) -> Callable[..., Any]:
        def run(keyset: Any, *args: Any, **kwargs: Any) -> Any:
            self.counts[name] += 1
            with strictly(OFF):
                return kernel.call_boxed(keyset, *args, **kwargs)

        return run


def check_operations(names: Sequence[str]) -> None:
    """Check that every name is an operation of torch, such as aten::cumsum or aten::cumsum.out.

    Raises ConfigError SR-TIER-003 naming all that are not, each with the nearest name.
    """
    unknown = [name for name in names if not _overloads(name)]
    if not unknown:
        return
    import torch

    known = sorted({schema.name for schema in torch._C._jit_get_all_schemas() if "::" in schema.name})
    raise ConfigError(
        "SR-TIER-003",
        f"exact_except: {', '.join(unknown)}: no such operation in this torch",
        evidence=[
            f"{name}: {did_you_mean(name, known) if '::' in name else 'wanted: NAMESPACE::NAME, such as aten::cumsum'}"
            for name in unknown
        ],
        do="copy the name from the list that the throw-away step or the error printed",
    )


def _overloads(name: str) -> list[Any]:
    import torch

    space, _, rest = name.partition("::")
    base, _, wanted = rest.partition(".")
    packet = getattr(getattr(torch.ops, space, None), base, None) if space and base else None
    if packet is None or not hasattr(packet, "overloads"):
        return []
    return [getattr(packet, overload) for overload in packet.overloads() if wanted in ("", overload)]
