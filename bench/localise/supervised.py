"""The faults of the supervised trainer (project/parts.py, project/recipe.yaml), with what must be found, beforehand."""

from __future__ import annotations

from expected import ANY, Fault, Op

RECIPE = "recipe.yaml"
TRAINER = "samerun/trainers/supervised/trainer.py"


def part(table: str, name: str, what: str, component: str, kind: str, op: Op | None, at: int = 6, **more: str) -> Fault:
    """A fault that one of the user's parts plants at a step."""
    options = tuple(more.pop("options", "").split())
    where = more.pop("where", "")
    layer = (f"model.where={where}",) if where else ()
    settings = (f"{table}.fault={name}", f"{table}.at={at}", *layer, *options)
    leaf = more.pop("leaf", ANY)
    title = f"{table}: {name}@{at}" + (f" {where}" if where else "") + (" in a worker" if options else "")
    return Fault(title, what, at, component, kind, op, settings, options, leaf, RECIPE)


def setting(text: str, what: str, component: str, kind: str, op: Op | None, step: int = 0) -> Fault:
    """Another value of a setting: another experiment."""
    return Fault(f"setting: {text}", what, step, component, kind, op, (text,), (), ANY, RECIPE)


MODEL = (
    *(
        part(
            "model",
            "ulp-backward",
            "the last bit inside a layer's backward",
            "loss|model|optimizer",
            "value",
            Op("ulp backward", module=f"model.{where}", phase="backward"),
            at,
            where=where,
        )
        for at, where in ((1, "first"), (6, "third"), (8, "head"))
    ),
    part(
        "model",
        "ulp-forward",
        "the last bit inside a layer, forward",
        "loss|metrics|model",
        "value",
        Op("ulp forward", module="model.third", phase="forward"),
        where="third",
    ),
    part("model", "flip", "sign of one weight", "loss", "value", Op("flip"), where="third"),
    part(
        "model",
        "through-numpy",
        "a weight written through NumPy",
        "loss",
        "value",
        Op(ANY, "appears|input", module="model"),
    ),
    part(
        "model",
        "draw-torch",
        "one draw from torch in the model",
        "ambient",
        "ambient",
        Op("draw torch", "appears", "aten::rand", "model"),
    ),
    part(
        "model",
        "turned-round",
        "two layers called in the other order",
        "loss",
        "value",
        Op("layer", "other", module="model.third"),
    ),
    part(
        "model",
        "hook",
        "a hook that doubles a gradient",
        "loss|metrics|model",
        "value",
        Op("hook", phase="backward"),
    ),
    part(
        "model",
        "freeze",
        "parameters frozen for a step",
        "loss|metrics|model|optimizer",
        "value",
        Op(ANY, "vanishes", module="model.third", phase="backward"),
    ),
    part(
        "model",
        "norm-momentum",
        "a norm's momentum changed for a step",
        "model",
        "value",
        Op(ANY, "arguments", "aten::native_batch_norm", "model.norm"),
        leaf="norm.running_mean",
    ),
    part(
        "model",
        "dropout-share",
        "dropout with another p",
        "loss",
        "value",
        Op(ANY, "arguments", "aten::bernoulli_.float|aten::native_dropout", "model.drop"),
    ),
    part(
        "model",
        "dropout-off",
        "dropout left out of one step",
        "ambient",
        "ambient",
        Op(ANY, "vanishes|other", module="model.drop"),
    ),
)

OPTIMIZER = (
    part("optimizer", "moment", "a moment zeroed, before the update", "model|optimizer", "value", Op("moment"), 8),
    part("optimizer", "moment-late", "a moment zeroed, after the update", "optimizer", "value", Op("moment late")),
    part("optimizer", "step-count", "the optimizer's count off by one", "optimizer", "value", Op("step count")),
    part("optimizer", "gradient", "a gradient doubled in place", "model|optimizer", "value", Op("gradient")),
    part(
        "optimizer",
        "decay-bias",
        "weight decay on biases for a step",
        "model|optimizer",
        "value",
        Op("optimizer", "appears", "aten::mul_.Tensor|aten::mul_.Scalar", phase="optimizer"),
    ),
    part(
        "optimizer",
        "skip",
        "an optimizer step skipped",
        "model|optimizer",
        "value",
        Op("optimizer", "vanishes", phase="optimizer"),
    ),
    part(
        "schedule",
        "off-by-one",
        "learning rate off by one",
        "loss|metrics",
        "value",
        Op("optimizer", "arguments", "aten::mul_.Tensor|aten::mul_.Scalar", phase="optimizer"),
        leaf="train/learning_rate",
    ),
)

ITEM = 2
"""The step at which item 50 comes first: a pure function of seed 7."""

DATA = (
    Fault(
        "task: odd-item in a worker",
        "one item's augmentation changed, in a loader worker",
        ITEM,
        "batch",
        "batch",
        Op(TRAINER, "input"),
        ("task.fault=odd-item", "workers=2"),
        ("workers=2",),
        ANY,
        RECIPE,
    ),
    Fault(
        "task: odd-item",
        "one item's augmentation changed",
        ITEM,
        "batch",
        "batch",
        Op("odd item", "appears", "aten::mul.Tensor"),
        ("task.fault=odd-item",),
        (),
        ANY,
        RECIPE,
    ),
    Fault(
        "task: odd-label in a worker",
        "one item's label changed, in a loader worker",
        ITEM,
        "batch",
        "batch",
        Op(TRAINER, "input"),
        ("task.fault=odd-label", "workers=2"),
        ("workers=2",),
        ANY,
        RECIPE,
    ),
    Fault(
        "task: odd-draw in a worker",
        "one more draw for one item, in a loader worker",
        ITEM,
        "streams",
        "draws",
        None,
        ("task.fault=odd-draw", "workers=2"),
        ("workers=2",),
        ANY,
        RECIPE,
    ),
    Fault(
        "setting: task.path",
        "one number of a data file changed",
        ITEM,
        "batch",
        "batch",
        Op(ANY, "input"),
        ("task.path=items-changed.csv",),
        (),
        ANY,
        RECIPE,
    ),
)

SETTINGS = (
    setting(
        "label_smoothing=0.1",
        "label smoothing",
        "loss",
        "value",
        Op("samerun/trainers/supervised/objective.py", "appears|other|arguments"),
    ),
    setting("clip_norm=0.25", "clipped harder", "model|optimizer", "value", Op(TRAINER, "arguments")),
    setting("mixed_precision=bf16", "mixed precision", "loss", "value", Op(ANY, module="model.first")),
    setting("accumulate=2", "a batch in two micro-batches", "ambient", "ambient", Op(TRAINER)),
    setting("average=null", "no moving average", "average", "structure", None),
    setting("seed=8", "another seed", "model", "value", None),
    setting("model.width=24", "a wider model", "model", "value|structure", None),
    setting("batch_size=16", "another batch size", "batch", "batch", Op(ANY, "appears|other|arguments|input|output")),
)

ENVIRONMENT = (
    Fault(
        "ATEN_CPU_CAPABILITY, weights drawn by name",
        "other kernels of torch",
        0,
        "loss|model",
        "value",
        Op("norm|drop|layer", "output", "aten::tanh|aten::native_batch_norm|aten::addmm", "model."),
        subject=RECIPE,
        variables={"ATEN_CPU_CAPABILITY": "default"},
    ),
    Fault(
        "ONEDNN_MAX_CPU_ISA",
        "other kernels of oneDNN, under a convolution",
        0,
        "loss|model",
        "value",
        Op(ANY, "output", "aten::convolution|aten::mkldnn_convolution", "model."),
        subject="conv.yaml",
        variables={"ONEDNN_MAX_CPU_ISA": "SSE41"},
    ),
)

SUPERVISED = (*MODEL, *OPTIMIZER, *DATA, *SETTINGS, *ENVIRONMENT)
