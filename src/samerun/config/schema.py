"""Tables of settings: what they have in common, and the one that every recipe has.

A table is strict, frozen, knows no unknown keys, and says of each field whether it counts in the identity: it does,
unless the field is marked `aside` with a reason. Kinds of single values are in values.py, parts in parts.py.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal, get_args

from annotated_types import Ge, Le, Len
from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from samerun.config.values import Cadence, Operations, RunName, Seed
from samerun.config.values import Secret as Secret

Count = Annotated[int, Ge(0)]
Positive = Annotated[int, Ge(1)]
Text = Annotated[str, Len(1)]
SECRET_REASON: Final = "where a secret is read from; secrets are never identity"
"""Why a setting of type `Secret` is aside; in a record it tells which settings those are."""
THREADS_LIMIT: Final = 1024
"""The same number as in tiers/tier.py, which stands beside this folder; a test holds them equal."""


class Table(BaseModel):
    """A table of settings. Write one string under each field; sequences are tuples; defaults are validated too."""

    model_config = ConfigDict(
        strict=True,
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        validate_default=True,
        allow_inf_nan=False,
        protected_namespaces=(),
        hide_input_in_errors=True,
        defer_build=True,
    )

    reads_horizon: ClassVar[bool] = False
    """True where the numbers depend on `horizon_steps`: an unset horizon then becomes `steps` at the first start."""

    reads_evaluations: ClassVar[bool] = False
    """True where something reads evaluations (early stop, plateau, gate): `unless_deciding` fields then count."""


@dataclass(frozen=True)
class Aside:
    """Mark a value as no part of the identity, with the reason: `Annotated[str, Aside("where files go")]`."""

    reason: str
    unless_deciding: bool = False


@dataclass(frozen=True)
class Standing:
    """Where a field counts: in the experiment, in the platform, or nowhere (aside), and why."""

    group: Literal["experiment", "platform", "aside"]
    reason: str = ""
    unless_deciding: bool = False


def aside(default: Any, reason: str, *, unless_deciding: bool = False) -> Any:
    """Mark a field as no part of the identity, because of `reason`; `...` as default makes it required.

    With `unless_deciding` it counts after all when a chosen table reads evaluations (`Table.reads_evaluations`).
    """
    mark: dict[str, Any] = {"aside": reason}
    if unless_deciding:
        mark["unless_deciding"] = True
    return Field(default, json_schema_extra=mark)


def platform_fact(default: Any, reason: str) -> Any:
    """Mark a field whose resolved value counts among the platform's facts, not in the experiment's values."""
    return Field(default, json_schema_extra={"platform": reason})


def standing_of(field: FieldInfo) -> Standing:
    """Say where a field counts, from `aside(...)`, `platform_fact(...)`, an `Aside` annotation, or being a secret."""
    if holds_secret(field.annotation):
        return Standing("aside", SECRET_REASON)
    for mark in field.metadata:
        if isinstance(mark, Aside):
            return Standing("aside", mark.reason, mark.unless_deciding)
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    if "aside" in extra:
        return Standing("aside", str(extra["aside"]), bool(extra.get("unless_deciding", False)))
    if "platform" in extra:
        return Standing("platform", str(extra["platform"]))
    return Standing("experiment")


def holds_secret(annotation: Any) -> bool:
    """Whether a field of this type takes secrets, itself or in a list, a table or beside null."""
    return annotation is Secret or any(holds_secret(argument) for argument in get_args(annotation))


class BestTable(Table):
    """Which checkpoint is the best one."""

    metric: Text
    """Column of the metrics rows, such as evaluate/accuracy."""

    better: Literal["higher", "lower"]
    """Whether a higher or a lower value is better."""


class CheckpointTable(Table):
    """When checkpoints are written and which are kept. None of it changes a number."""

    every: Cadence = "15min"
    """Steps between checkpoints, or a duration such as "15min"."""

    keep: Positive = 3
    """Newest checkpoints that are kept, beside step 0, the best and the pinned ones."""

    keep_every: Positive | None = None
    """Checkpoints at multiples of this many steps are kept for ever."""

    keep_weights: Positive | None = None
    """Checkpoints at multiples of this many steps keep their models for ever, without the rest of the state."""

    best: BestTable | None = None
    """The metric whose best checkpoint is kept while it is best."""

    asynchronous: bool = False
    """Copy to host memory, then write while training goes on."""


class EvaluateTable(Table):
    """When a run is evaluated."""

    every: Count = aside(0, "watching: evaluation has its own streams and cannot touch training", unless_deciding=True)
    """Steps between evaluations; 0 is never."""


class TrailTable(Table):
    """What the trail records."""

    state_every: Literal["auto"] | Count = "auto"
    """Steps between digests of the whole state; auto is 1 while that is cheap, 0 is only at checkpoints."""


class InitTable(Table):
    """Starting weights: step 0, a fresh optimizer."""

    from_: Text = Field(alias="from")
    """A path, a hub id, or RUN@best."""

    revision: Text | None = None
    """Revision of a hub id."""


class RunTable(Table):
    """The settings that every recipe has. A trainer's own config extends this with its tables."""

    trainer: str
    """Which trainer: the name of an installed one, or package.module:NAME of this project."""

    seed: Seed | None = None
    """Master seed, 0 <= s < 2^128; null takes the one of the run being continued, else draws one and records it."""

    tier: Literal["exact", "fast"] = platform_fact("exact", "a tier is a promise about the platform's arithmetic")
    """What is promised about arithmetic."""

    exact_except: Operations = ()
    """Operations without a deterministic kernel that are allowed under tier exact."""

    threads: Literal["auto"] | Annotated[int, Ge(1), Le(THREADS_LIMIT)] = platform_fact(
        "auto", "the resolved number of threads is a platform fact"
    )
    """CPU threads of torch, at most 1024; auto is 1 under exact and the core count under fast."""

    device: Literal["cpu", "cuda", "auto"] = platform_fact("cpu", "the device class is a platform fact")
    """Where tensors live; auto is cuda where there is one, else cpu."""

    steps: Count = aside(..., "how far to go, not where to: resume -s steps=N trains on")
    """Optimizer steps of the whole run."""

    horizon_steps: Positive | None = None
    """Steps that schedules are stretched over; null is `steps` at the first start."""

    init: InitTable | None = aside(None, "the digest of the starting weights' content is identity instead")
    """Starting weights, or null for freshly drawn ones."""

    checkpoint: CheckpointTable = aside(CheckpointTable(), "saving changes no number")
    """When checkpoints are written and which are kept."""

    evaluate: EvaluateTable = EvaluateTable()
    """When the run is evaluated."""

    recheck_every: Count = aside(0, "repeating a step to compare it changes no number")
    """Steps between re-executions of a step from a host copy, compared bit for bit; 0 is never."""

    trail: TrailTable = aside(TrailTable(), "recording changes no number")
    """How much the trail records."""

    name: RunName | None = aside(None, "a name is a label")
    """Label of the run; its folder is runs/<name>-<id8>."""
