"""The faults of the plain loop (project/loop.py, plants.py), with what must be found, written down beforehand."""

from __future__ import annotations

from expected import Fault, Op

LAST_BIT = "appears|other"


def plant(
    name: str, what: str, at: int, component: str, kind: str, op: Op | None, where: str = "third", **more: str
) -> Fault:
    """A fault of plants.py at a step and a layer."""
    options = tuple(more.pop("options", "").split())
    return Fault(
        f"{name}@{at}" + (f" {where}" if where != "third" else "") + more.pop("suffix", ""),
        what,
        at,
        component,
        kind,
        op,
        ("--fault", name, "--at", str(at), "--where", where, *options),
        options,
        **more,
    )


WEIGHTS = (
    *(
        plant("flip", "sign of one weight, before the forward pass", at, "loss", "value", Op("flip"), where)
        for at, where in ((1, "first"), (6, "third"), (8, "head"))
    ),
    plant("flip-late", "sign of one weight, after the update", 6, "net", "value", Op("flip late")),
    plant("swap-rows", "two rows of a weight swapped", 6, "net", "value", Op("swap rows")),
    *(
        plant("one-ulp", "one weight one unit in the last place up", at, "net", "value", Op("one ulp"), where)
        for at, where in ((1, "first"), (6, "third"), (8, "head"))
    ),
    Fault(
        "minus-zero@6",
        "a buffer of 0.0 is -0.0",
        6,
        "net",
        "value",
        Op("zero|zero -0.0", "arguments", "aten::fill_.Scalar"),
        ("--fault", "minus-zero"),
        ("--fault", "zero"),
        "spare",
    ),
    Fault(
        "nan-payload@6",
        "a buffer of NaN has another payload",
        6,
        "net",
        "value",
        Op("nan|nan payload", "arguments", "aten::fill_.Scalar"),
        ("--fault", "nan-payload"),
        ("--fault", "nan"),
        "spare",
    ),
    plant("dtype", "a buffer is float64, its values equal", 6, "net", "value|structure", Op("dtype"), leaf="spare"),
    plant(
        "through-numpy",
        "a weight written through NumPy, before the forward pass",
        6,
        "loss",
        "value",
        Op("through numpy|layer", "appears|input"),
    ),
    plant(
        "through-numpy-late",
        "a weight written through NumPy, after the update",
        6,
        "net",
        "value",
        Op("through numpy late", "appears|input"),
    ),
    plant("load-state", "a state_dict loaded in the middle of a run", 6, "net", "value", Op("load state")),
    plant("untie", "a tied weight untied", 6, "net|optim", "value", Op("untie"), options="--tied"),
    plant("buffer", "a running mean changed", 6, "net", "value", Op("buffer"), leaf="norm.running_mean"),
)

RANDOMNESS = (
    *(
        plant("draw-stream", "one more number from a named stream", at, "streams", "draws", None)
        for at in (1, 6, 8)
    ),
    plant(
        "draw-stream-torch",
        "a new named stream drawn from through torch",
        6,
        "streams",
        "draws",
        Op("draw stream torch", "appears"),
    ),
    plant("draw-python", "one draw from random", 6, "ambient", "ambient", None),
    plant("draw-numpy", "one draw from numpy.random", 6, "ambient", "ambient", None),
    *(
        plant("draw-torch", "one draw from torch", at, "ambient", "ambient", Op("draw torch", "appears", "aten::rand"))
        for at in (1, 6, 8)
    ),
    plant("mask-order", "a dropout mask drawn once more, before", 6, "ambient", "ambient", Op("mask order")),
    plant(
        "dropout-share",
        "dropout with another p",
        6,
        "loss",
        "value",
        Op("drop", "arguments", "aten::bernoulli_.float|aten::native_dropout", "net.drop"),
    ),
    Fault(
        "odd-draw in a worker",
        "one more draw for one item, in a loader worker",
        6,
        "streams",
        "draws",
        None,
        ("--mapped", "--workers", "2", "--odd-draw"),
        ("--mapped", "--workers", "2"),
    ),
    Fault(
        "odd-draw",
        "one more draw for one item, without workers",
        6,
        "streams",
        "draws",
        None,
        ("--mapped", "--odd-draw"),
        ("--mapped",),
    ),
)

BATCHES = (
    plant("swap-batches", "two batches swapped", 6, "batch", "batch", Op("swap batches|take", "appears|input")),
    plant("truncate", "a batch without its last item", 6, "ambient", "ambient", Op("truncate")),
    plant("permute-labels", "labels permuted within a batch", 6, "loss", "value", Op("permute labels")),
    plant("one-item", "one item of a batch changed", 6, "loss", "value", Op("one item")),
    Fault(
        "odd-item",
        "one item's augmentation changed",
        6,
        "batch",
        "batch",
        Op("odd item", "appears", "aten::mul.Tensor"),
        ("--mapped", "--odd-item"),
        ("--mapped",),
    ),
    Fault(
        "odd-item in a worker",
        "one item's augmentation changed, in a loader worker",
        6,
        "batch",
        "batch",
        Op("take|mix", "input"),
        ("--mapped", "--workers", "2", "--odd-item"),
        ("--mapped", "--workers", "2"),
    ),
    Fault(
        "data file",
        "one number of a data file changed (item 50: the third batch)",
        2,
        "batch",
        "batch",
        Op("take", "input"),
        ("--data", "items-changed.csv"),
        ("--data", "items.csv"),
    ),
)

ARITHMETIC = (
    *(
        plant(
            "ulp-forward",
            "the last bit inside a layer, forward",
            at,
            "loss|net",
            "value",
            Op("ulp forward", LAST_BIT, module=f"net.{where}", phase="forward"),
            where,
        )
        for at, where in ((1, "first"), (6, "third"), (8, "head"))
    ),
    *(
        plant(
            "ulp-backward",
            "the last bit inside a layer's backward",
            at,
            "net|optim",
            "value",
            Op("ulp backward", LAST_BIT, module=f"net.{where}", phase="backward"),
            where,
        )
        for at, where in ((1, "first"), (6, "third"), (8, "head"))
    ),
    plant("ulp-loss", "the last bit of the loss", 6, "loss", "value", Op("ulp forward", LAST_BIT, module="-")),
    plant(
        "norm-momentum",
        "a norm's momentum changed for a step",
        6,
        "net",
        "value",
        Op("norm", "arguments", "aten::native_batch_norm", "net.norm"),
        leaf="norm.running_mean",
    ),
    plant(
        "eval-left-on",
        "eval mode left on",
        6,
        "ambient",
        "ambient",
        Op("norm", "vanishes|arguments|other", module="net.norm"),
    ),
    plant(
        "turned-round",
        "two layers called in the other order",
        6,
        "loss",
        "value",
        Op("layer", "other", module="net.third"),
    ),
    plant("autocast", "mixed precision for one step", 6, "loss", "value", Op("layer", module="net.first")),
    plant("smoothing", "label smoothing for one step", 6, "loss", "value", Op("smoothing", "appears|other|arguments")),
    plant("chance", "a custom Function with os.urandom in one run", 6, "net", "value", Op("chance")),
    Fault(
        "chance against itself@6",
        "two runs of one custom Function with os.urandom in its backward",
        6,
        "net",
        "value",
        Op("os.urandom", "arguments", "aten::mul.Tensor", phase="backward"),
        ("--fault", "chance"),
        ("--fault", "chance"),
    ),
    Fault(
        "clock against itself@6",
        "two runs of one loss that the time of day scales",
        6,
        "loss",
        "value",
        Op("clock", "arguments", "aten::mul.Tensor"),
        ("--fault", "clock"),
        ("--fault", "clock"),
    ),
    plant(
        "threads",
        "another number of threads from one step on",
        6,
        "loss",
        "value",
        Op("norm", "output", "aten::native_batch_norm", "net.norm"),
        options="--wide",
    ),
)

GRADIENTS = (
    plant(
        "accumulate-again",
        "the gradient accumulated once more",
        6,
        "net|optim",
        "value",
        Op("backward|accumulate again", "appears", "aten::ones_like"),
    ),
    plant(
        "zero-grad-forgotten",
        "zero_grad forgotten",
        6,
        "net|optim",
        "value",
        Op(
            "*",
            "appears|other|vanishes|output",
            "aten::add_.Tensor|aten::add.Tensor|aten::detach",
            "net.head",
            "backward",
        ),
    ),
    plant("clip-harder", "the gradient clipped harder", 6, "net|optim", "value", Op("clip", "arguments")),
    plant("scale-gradient", "a gradient doubled in place", 6, "net|optim", "value", Op("scale gradient")),
    plant(
        "hook-gradient",
        "a hook that doubles a gradient",
        6,
        "net|optim",
        "value",
        Op("hook gradient", phase="backward"),
    ),
    plant(
        "freeze",
        "parameters frozen for a step",
        6,
        "net|optim",
        "value",
        Op("*", "vanishes", module="net.third", phase="backward"),
    ),
)

UPDATE = (
    *(
        plant("moment", "a moment zeroed, before the update", at, "net|optim", "value", Op("moment"))
        for at in (1, 6, 8)
    ),
    plant("moment-late", "a moment zeroed, after the update", 6, "optim", "value", Op("moment late")),
    plant("step-count", "the optimizer's count off by one", 6, "net|optim", "value", Op("step count")),
    plant(
        "rate-early",
        "learning rate off by one, before the update",
        6,
        "loss|metrics",
        "value",
        Op("optimizer", "arguments", "aten::mul_.Tensor|aten::mul_.Scalar", phase="optimizer"),
        leaf="train/rate",
    ),
    plant("rate-late", "learning rate off by one, after the update", 6, "optim|schedule", "value", None),
    plant(
        "betas",
        "the optimizer's momentum changed for a step",
        6,
        "net|optim",
        "value",
        Op("optimizer", "arguments", "aten::lerp_.Scalar", phase="optimizer"),
    ),
    plant(
        "decay-bias",
        "weight decay on biases for a step",
        6,
        "net|optim",
        "value",
        Op("optimizer", "appears", "aten::mul_.Tensor|aten::mul_.Scalar", phase="optimizer"),
    ),
    plant(
        "skip-update",
        "an optimizer step skipped",
        6,
        "net|optim",
        "value",
        Op("optimizer", "vanishes", phase="optimizer"),
    ),
    plant("average-skipped", "the moving average skipped", 6, "average", "value", Op("average", "vanishes")),
)

LOGGED = (
    plant("logged-number", "a logged number only", 6, "loss|metrics", "value", None, leaf="train/rate"),
    plant("metric-renamed", "a metric renamed", 6, "metrics", "structure", None),
    plant("metric-extra", "an extra metric", 6, "metrics", "structure", None, leaf="train/extra"),
)

WHOLE_RUN = (
    Fault("seed", "another seed", 0, "net", "value", None, ("--seed", "8")),
    Fault(
        "batch size",
        "another batch size",
        0,
        "batch",
        "batch",
        Op("take", "output|input|arguments|other|appears"),
        ("--batch-size", "16"),
    ),
    Fault("width", "a wider model", 0, "net", "value|structure", None, ("--width", "24")),
    Fault(
        "code line",
        "a line of user code changed (needs --trust)",
        0,
        "loss",
        "value",
        Op("mix", "arguments", "aten::mul.Tensor"),
        edit=("loop.py", "0.01 * noise", "0.02 * noise"),
    ),
    Fault(
        "ATEN_CPU_CAPABILITY",
        "other kernels of torch, which draw other weights",
        0,
        "net",
        "value",
        None,
        variables={"ATEN_CPU_CAPABILITY": "default"},
    ),
    Fault(
        "MKL_CBWR",
        "other kernels of MKL",
        0,
        "loss|net",
        "value",
        Op("layer", "output", "aten::addmm", "net."),
        variables={"MKL_CBWR": "COMPATIBLE"},
    ),
)

PLAIN = (*WEIGHTS, *RANDOMNESS, *BATCHES, *ARITHMETIC, *GRADIENTS, *UPDATE, *LOGGED, *WHOLE_RUN)
