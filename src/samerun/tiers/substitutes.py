"""What to use instead of an operation that has no deterministic kernel. Knowledge only, no torch."""

from __future__ import annotations

from collections.abc import Mapping

_RESIZE = "F.interpolate(mode='nearest'), or a fixed ConvTranspose2d"
_REFLECT = "torch.cat of flipped edge slices (x[..., 1:n + 1].flip(-1)), whose backward repeats its bits"
_REPLICATE = "torch.cat of edge slices repeated with expand"
_POOL = "AvgPool2d with a fixed kernel, or x.mean((-2, -1)) when the output is 1 x 1"
_SORT = "torch.sort, then index"

SUBSTITUTES: Mapping[str, str] = {
    "aten::cumsum": "on the CPU, or a matmul with a triangular matrix of ones",
    "aten::put_": "index_put_, or scatter_ with distinct indices",
    "aten::histc": "torch.bucketize and torch.bincount without weights",
    "aten::bincount": "torch.zeros(n).index_add_(0, x, weights)",
    "aten::kthvalue": _SORT,
    "aten::median": _SORT,
    "aten::nanmedian": _SORT,
    "aten::scatter_reduce": "index_add_ (sum, mean), or a sort by index and segment reductions",
    "aten::nll_loss2d": "flatten to (N*H*W, C) and use the loss of class indices in one dimension",
    "aten::cross_entropy_loss": "flatten to (N*H*W, C)",
    "aten::_ctc_loss": "the cuDNN kernel: int32 targets on the CPU, blank 0, lengths up to 256",
    "aten::_embedding_bag": "F.embedding, then amax over the bag",
    "aten::max_unpool2d": "torch.zeros(n).index_put_ with the flattened indices",
    "aten::max_unpool3d": "torch.zeros(n).index_put_ with the flattened indices",
    "aten::grid_sampler_2d": "bilinear weights by hand with index_select",
    "aten::grid_sampler_3d": "trilinear weights by hand with index_select",
    "aten::upsample_linear1d": _RESIZE,
    "aten::upsample_bilinear2d": _RESIZE,
    "aten::upsample_bicubic2d": _RESIZE,
    "aten::upsample_trilinear3d": _RESIZE,
    "aten::_upsample_bilinear2d_aa": _RESIZE,
    "aten::_upsample_bicubic2d_aa": _RESIZE,
    "aten::reflection_pad1d": _REFLECT,
    "aten::reflection_pad2d": _REFLECT,
    "aten::reflection_pad3d": _REFLECT,
    "aten::replication_pad1d": _REPLICATE,
    "aten::replication_pad2d": _REPLICATE,
    "aten::replication_pad3d": _REPLICATE,
    "aten::_adaptive_avg_pool2d": _POOL,
    "aten::_adaptive_avg_pool3d": _POOL,
    "aten::adaptive_max_pool2d": "MaxPool2d with a fixed kernel, or x.amax((-2, -1)) when the output is 1 x 1",
    "aten::avg_pool3d": "x.unfold along each axis, then mean",
    "aten::fractional_max_pool2d": "MaxPool2d with a fixed kernel",
    "aten::fractional_max_pool3d": "MaxPool3d with a fixed kernel",
}
"""Operation without its overload -> a way to compute the same with deterministic kernels."""


def substitute(operation: str) -> str | None:
    """Return what to use instead of an operation (backward ones count as their forward), None when nothing is known."""
    base = operation.partition(".")[0]
    for ending in ("", "_backward", "_out", "_forward"):
        if ending and not base.endswith(ending):
            continue
        found = SUBSTITUTES.get(base.removesuffix(ending) if ending else base)
        if found:
            return found
    return None
