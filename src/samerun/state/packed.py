"""A state split for storage: structure (JSON) and tensors. tree.py splits one, join.py puts one together again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from samerun.state import arrays
from samerun.state.leaves import JSON

if TYPE_CHECKING:
    import torch

    Value = torch.Tensor | arrays.Array
else:
    Value = Any

VERSIONS = "~versions"
FACTORIES: dict[str, type | None] = {
    "none": None, "int": int, "float": float, "bool": bool, "str": str, "list": list, "dict": dict, "tuple": tuple,
}  # fmt: skip


@dataclass
class Packed:
    """A state split for storage. `tensors` are the live ones: whoever packs must be done before they change."""

    structure: JSON
    """The tree with every plain value, and a node `tensor`, `array` or `raw` wherever bytes stand."""
    tensors: dict[str, Value] = field(default_factory=dict)
    """Bytes by leaf path; memory shared by overlapping views once, as `~shared/N`."""
    layout: dict[str, dict[str, Any]] = field(default_factory=dict)
    """No part of any digest: `strides` in elements and `device` of leaves that differ from the rule (C order, host);
    `size` in bytes of each `~shared/N`; under VERSIONS the module versions that torch hangs on a state_dict, by the
    number of the OrderedDict."""

    @property
    def nbytes(self) -> int:
        """Bytes of all tensors."""
        return sum(int(value.nbytes) for value in self.tensors.values())

    @property
    def is_module(self) -> bool:
        """Whether this is the state_dict of a torch module."""
        return isinstance(self.structure, dict) and "ordered" in self.structure and "0" in self.layout.get(VERSIONS, {})
