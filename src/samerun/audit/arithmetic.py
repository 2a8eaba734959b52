"""SR140-SR143: switches that let torch choose other kernels or fewer bits, and operations that have no deterministic
kernel on a GPU. The operations themselves are listed in kernels.py."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from samerun.audit.finding import ERROR, WARNING, Hit
from samerun.audit.kernels import FUNCTIONS, METHODS, MODE_NAMES, Kernel
from samerun.audit.names import Names, argument, constant, has_unknown_arguments
from samerun.tiers.substitutes import substitute

CUDNN: Final = "torch.backends.cudnn."
REDUCED: Final = frozenset(
    {"allow_tf32", "allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction"}
    | {"allow_fp16_accumulation"}
)
INTEGER_MARKS: Final = re.compile(
    r"\.(long|int|bool|eq|ne|gt|lt|ge|le|short)\(|[=!<>]=|dtype=torch\.u?int|torch\.(long|int)|int64|int32|\.size\("
)
INTEGER_NAMES: Final = re.compile(
    r"(mask|count|length|lens?|size|num|ids?|index|indices|offset|position|padding|seqlen|valid|counts)s?\b", re.I
)


def switches(names: Names) -> Iterator[Hit]:
    """Yield switches of torch that make an equal run depend on chance, or on the device."""
    for call, dotted in names.calls:
        if dotted == "torch.use_deterministic_algorithms":
            yield from _deterministic(call)
        elif dotted == "torch.set_deterministic_debug_mode":
            if constant(argument(call, 0, "debug_mode")) in (0, "default"):
                yield Hit("SR140", ERROR, call, "the check for deterministic kernels is switched off")
        elif dotted == "torch.set_float32_matmul_precision":
            value = constant(argument(call, 0, "precision"))
            if value in ("high", "medium"):
                yield Hit("SR142", WARNING, call, f"matrix products keep fewer bits (precision {value!r})")
    for node in names.scopes.nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _assigned(names, target, constant(node.value))


def _deterministic(call: ast.Call) -> Iterator[Hit]:
    if constant(argument(call, 0, "mode")) is False:
        yield Hit("SR140", ERROR, call, "deterministic kernels are switched off")
    elif constant(argument(call, None, "warn_only")) is True:
        yield Hit("SR140", WARNING, call, "an operation without a deterministic kernel only warns")


def _assigned(names: Names, target: ast.expr, value: object) -> Iterator[Hit]:
    dotted = names.dotted(target) if isinstance(target, ast.Attribute) else None
    if dotted is None or not dotted.startswith("torch.backends."):
        return
    attribute = dotted.rpartition(".")[2]
    if dotted == CUDNN + "deterministic" and value is False:
        yield Hit("SR140", ERROR, target, "cuDNN may choose kernels that are not deterministic")
    elif dotted == CUDNN + "benchmark" and value is True:
        yield Hit(
            "SR141", ERROR, target, "cuDNN times its kernels and takes the fastest: another one in another process"
        )
    elif (attribute in REDUCED and value is True) or (attribute == "fp32_precision" and value in ("tf32", "bf16")):
        yield Hit("SR142", WARNING, target, f"{dotted.removeprefix('torch.backends.')} = {value!r} keeps fewer bits")


def kernels(names: Names) -> Iterator[Hit]:
    """Yield calls of operations that raise on CUDA under tier `exact`, since no deterministic kernel exists."""
    for call, dotted in names.calls:
        kernel = FUNCTIONS.get(dotted or "")
        is_method = False
        if kernel is None and dotted is None and isinstance(call.func, ast.Attribute):
            kernel = METHODS.get(call.func.attr) or _by_dim(call)
            is_method = kernel is not None
        if kernel is None or not _applies(call, kernel):
            continue
        shown = f".{call.func.attr}" if is_method and isinstance(call.func, ast.Attribute) else str(dotted)
        instead = substitute(kernel.operation)
        do = f"use {instead}; or name {kernel.operation} in exact_except" if instead else None
        yield Hit("SR143", WARNING, call, f"{shown}() has no deterministic kernel on CUDA", do)


def _by_dim(call: ast.Call) -> Kernel | None:
    """A `dim=` tells a tensor's method from that of an array or a table."""
    assert isinstance(call.func, ast.Attribute)
    if argument(call, None, "dim") is None:
        return None
    known = {"median": Kernel("aten::median"), "nanmedian": Kernel("aten::nanmedian")}
    return known.get(call.func.attr)


def _applies(call: ast.Call, kernel: Kernel) -> bool:
    if kernel.when == "always":
        return True
    if has_unknown_arguments(call):
        return False
    if kernel.when == "output":
        return not _is_one(argument(call, kernel.position, "output_size"))
    if kernel.when == "mode":
        return constant(argument(call, kernel.position, *MODE_NAMES)) in kernel.modes
    if kernel.when in ("weights", "dim"):
        given = argument(call, kernel.position, kernel.when)
        return given is not None and constant(given) is not None
    return _may_be_floating(call)


def _is_one(size: ast.expr | None) -> bool:
    """An output of one cell is a mean, which has a deterministic kernel."""
    items = size.elts if isinstance(size, ast.Tuple | ast.List) else [size]
    return all(item is not None and constant(item) == 1 for item in items)


def _may_be_floating(call: ast.Call) -> bool:
    """Say whether nothing in the call looks like integers, whose running sum is exact on every device."""
    shown = ast.unparse(call)
    source = ast.unparse(call.args[0]) if call.args else ""
    return not INTEGER_MARKS.search(shown) and not INTEGER_NAMES.search(source)
