"""Rows of `metrics.jsonl`: one for each step, holding numbers under `group/name`.

Columns of the groups `time`, `throughput` and `memory` are clock columns: the only ones a comparison leaves out. What a
step drew and did to the state is in the trail.
"""

from collections.abc import Mapping
from typing import Any, Final

from samerun.errors import UsageError

STEP: Final = "step"
STATE_DIGEST: Final = "run/state_digest"
SEGMENT: Final = "run/segment"
"""Number of the segment, in rows after an allowed drift only."""
CLOCK_GROUPS: Final = ("time/", "throughput/", "memory/")
OWN_GROUP: Final = "run"
DEFAULT_GROUP: Final = "train"

_NAME_LIMIT: Final = 200


def is_clock(column: str) -> bool:
    """Say whether a column depends on the clock or the machine's load and never counts in a comparison."""
    return column.startswith(CLOCK_GROUPS)


def column_name(name: object) -> str:
    """Give the column for a logged name: `loss` becomes `train/loss`, `evaluate/loss` stays.

    Raises UsageError SR-RECORD-003 for what is no text, for an empty, overlong or unprintable name, and for the group
    `run`, which is ours.
    """
    text = name if isinstance(name, str) else ""
    column = text if "/" in text else f"{DEFAULT_GROUP}/{text}"
    group, _, rest = column.partition("/")
    if group == OWN_GROUP or not group or not rest or len(column) > _NAME_LIMIT or not column.isprintable():
        raise UsageError(
            "SR-RECORD-003",
            f"{(text or repr(name))[:_NAME_LIMIT]!r} cannot be the name of a metric",
            evidence=["wanted: name, or group/name, printable, at most 200 characters; the group 'run' is taken"],
            do="step.log(loss=loss), or step.log(**{'health/gradient_norm': norm})",
        )
    return column


def metrics_row(
    step: int, state_digest: str | None, numbers: Mapping[str, float | int], *, segment: int = 0
) -> dict[str, Any]:
    """Make the row of a step: `numbers` by column name, the state digest null where the trail is thinned."""
    row: dict[str, Any] = {STEP: step, STATE_DIGEST: state_digest, **numbers}
    if segment:
        row[SEGMENT] = segment
    return row


def columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give the numbers of a row as they stand in it, clock columns left out."""
    return {
        column: value
        for column, value in row.items()
        if column not in (STEP, STATE_DIGEST, SEGMENT, "sum") and not is_clock(column)
    }
