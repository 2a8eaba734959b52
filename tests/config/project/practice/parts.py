"""Parts of the practice project: one field of every sort that a config can have."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from samerun.config.parts import DEFAULT_PART, Part, PartChoice, PartSlot
from samerun.config.schema import Aside, Positive, RunTable, Secret, Table, aside


class MlpTable(Table):
    """A perceptron."""

    hidden: tuple[Positive, ...] = (64,)
    """Widths of the hidden layers."""
    dropout: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.0
    """Share of features dropped."""
    note: str = aside("", "a remark")
    """Free text."""


class CnnTable(Table):
    """A convolutional network."""

    channels: tuple[Positive, ...] = (8, 16)
    """Filters of each stage."""


class SgdTable(Table):
    """Stochastic gradient descent."""

    learning_rate: Annotated[float, Field(gt=0.0)] = 0.1
    """Rate of a step."""
    momentum: float = 0.9
    """Share of the last step that is kept."""


class ConstantTable(Table):
    """The same rate for ever."""


class CosineTable(Table):
    """Half a cosine down to the horizon."""

    reads_horizon: ClassVar[bool] = True

    floor: float = 0.0
    """Share of the rate at the horizon."""


class StopTable(Table):
    """Stop when nothing improves."""

    reads_evaluations: ClassVar[bool] = True

    patience: Positive = 3
    """Evaluations without improvement."""


class GroupTable(Table):
    """One group of parameters."""

    match: str
    """Pattern over names."""
    rate: float | None = None
    """Its own rate."""
    note: Annotated[str, Aside("a remark")] = ""
    """Free text."""


class PracticeTable(RunTable):
    """A recipe of the practice trainer."""

    model: Annotated[PartChoice, PartSlot("models")]
    """What learns."""
    optimizer: Annotated[PartChoice, PartSlot("optimizers", default="practice.parts:SGD")] = DEFAULT_PART
    """How it moves."""
    schedule: Annotated[PartChoice, PartSlot("schedules")] | None = None
    """How the rate changes."""
    stop: StopTable | None = None
    """When to stop."""
    groups: tuple[GroupTable, ...] = ()
    """Groups of parameters."""
    weights: dict[str, float] = Field({})
    """Weight of each class."""
    rate: float = 1.0
    """A number."""
    count: int = 1
    """An integer."""
    flag: bool = False
    """A truth value."""
    mode: Literal["fast", "careful"] = "careful"
    """A choice."""
    label: str = ""
    """A text."""
    token: Secret | None = None
    """What opens the hub."""


TRAINER = Part("practice", PracticeTable, "practice.build:trainer", "a trainer to practise on")
MLP = Part("mlp", MlpTable, "practice.build:mlp", "a perceptron")
CNN = Part("cnn", CnnTable, "practice.build:cnn", "a convolutional network")
SGD = Part("sgd", SgdTable, "practice.build:sgd", "stochastic gradient descent")
CONSTANT = Part("constant", ConstantTable, "practice.build:constant", "the same rate for ever")
COSINE = Part("cosine", CosineTable, "practice.build:cosine", "half a cosine")
NOT_A_PART = MlpTable
NOT_A_TRAINER = Part("mlp", MlpTable, "practice.build:mlp", "no trainer")
BUILD_MISSING = Part("lost", MlpTable, "practice.build:nowhere", "its build function does not exist")
NEEDS_PACKAGE = Part("needy", MlpTable, "practice.needy:build", "needs a package that nobody has")
