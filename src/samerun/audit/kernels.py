"""Operations that have no deterministic kernel on CUDA, as `torch.use_deterministic_algorithms` lists them (2.13),
by the names under which a program calls them. Those that only switch to another kernel are not here.

Each row: the operation of torch that it runs, and which calls it stands for. What is known only at run time (device,
type, whether a gradient is wanted) cannot be seen; arithmetic.py judges a call, this file only knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

When = Literal["always", "output", "mode", "weights", "dim", "floating"]


@dataclass(frozen=True)
class Kernel:
    """One operation: `when` says what in the call decides, `position` where that argument stands."""

    operation: str
    when: When = "always"
    position: int | None = None
    modes: tuple[str, ...] = ()


RESIZED: Final = ("linear", "bilinear", "bicubic", "trilinear")
_RESIZE: Final = Kernel("aten::upsample_bilinear2d", "mode", 3, RESIZED)

FUNCTIONS: Final[dict[str, Kernel]] = {
    "torch.nn.AvgPool3d": Kernel("aten::avg_pool3d"),
    "torch.nn.functional.avg_pool3d": Kernel("aten::avg_pool3d"),
    "torch.nn.AdaptiveAvgPool2d": Kernel("aten::_adaptive_avg_pool2d", "output", 0),
    "torch.nn.AdaptiveAvgPool3d": Kernel("aten::_adaptive_avg_pool3d", "output", 0),
    "torch.nn.functional.adaptive_avg_pool2d": Kernel("aten::_adaptive_avg_pool2d", "output", 1),
    "torch.nn.functional.adaptive_avg_pool3d": Kernel("aten::_adaptive_avg_pool3d", "output", 1),
    "torch.nn.AdaptiveMaxPool2d": Kernel("aten::adaptive_max_pool2d"),
    "torch.nn.functional.adaptive_max_pool2d": Kernel("aten::adaptive_max_pool2d"),
    "torch.nn.FractionalMaxPool2d": Kernel("aten::fractional_max_pool2d"),
    "torch.nn.FractionalMaxPool3d": Kernel("aten::fractional_max_pool3d"),
    "torch.nn.functional.fractional_max_pool2d": Kernel("aten::fractional_max_pool2d"),
    "torch.nn.functional.fractional_max_pool3d": Kernel("aten::fractional_max_pool3d"),
    "torch.nn.MaxUnpool1d": Kernel("aten::max_unpool2d"),
    "torch.nn.MaxUnpool2d": Kernel("aten::max_unpool2d"),
    "torch.nn.MaxUnpool3d": Kernel("aten::max_unpool3d"),
    "torch.nn.functional.max_unpool1d": Kernel("aten::max_unpool2d"),
    "torch.nn.functional.max_unpool2d": Kernel("aten::max_unpool2d"),
    "torch.nn.functional.max_unpool3d": Kernel("aten::max_unpool3d"),
    "torch.nn.functional.interpolate": _RESIZE,
    "torch.nn.functional.upsample": _RESIZE,
    "torch.nn.Upsample": Kernel("aten::upsample_bilinear2d", "mode", 2, RESIZED),
    "torch.nn.UpsamplingBilinear2d": Kernel("aten::upsample_bilinear2d"),
    "torch.nn.ReflectionPad1d": Kernel("aten::reflection_pad1d"),
    "torch.nn.ReflectionPad2d": Kernel("aten::reflection_pad2d"),
    "torch.nn.ReflectionPad3d": Kernel("aten::reflection_pad3d"),
    "torch.nn.functional.pad": Kernel("aten::reflection_pad2d", "mode", 2, ("reflect",)),
    "torch.nn.CTCLoss": Kernel("aten::_ctc_loss"),
    "torch.nn.functional.ctc_loss": Kernel("aten::_ctc_loss"),
    "torch.nn.EmbeddingBag": Kernel("aten::_embedding_bag", "mode", 5, ("max",)),
    "torch.nn.functional.embedding_bag": Kernel("aten::_embedding_bag", "mode", 6, ("max",)),
    "torch.histc": Kernel("aten::histc"),
    "torch.bincount": Kernel("aten::bincount", "weights", 1),
    "torch.kthvalue": Kernel("aten::kthvalue"),
    "torch.median": Kernel("aten::median", "dim", 1),
    "torch.nanmedian": Kernel("aten::nanmedian", "dim", 1),
    "torch.cumsum": Kernel("aten::cumsum", "floating", 0),
    "torch.nn.functional.grid_sample": Kernel("aten::grid_sampler_2d"),
    "torch.scatter_reduce": Kernel("aten::scatter_reduce", "mode", 4, ("prod",)),
}
METHODS: Final[dict[str, Kernel]] = {
    "put_": Kernel("aten::put_"),
    "histc": Kernel("aten::histc"),
    "kthvalue": Kernel("aten::kthvalue"),
    "scatter_reduce": Kernel("aten::scatter_reduce", "mode", 3, ("prod",)),
    "scatter_reduce_": Kernel("aten::scatter_reduce", "mode", 3, ("prod",)),
}
"""Methods that only tensors have."""
MODE_NAMES: Final = ("mode", "reduce")
