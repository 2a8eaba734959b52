"""Rows of `trail.jsonl`: one for each step, holding digests of what went in and what came out.

diff, verify and replay stand on them: the batch, the draws by stream, the ambient fingerprint, the logged numbers and
the state of each component. The numbers themselves are in the metrics.
"""

from collections.abc import Mapping
from typing import Any, Final

KIND: Final = "xxh3"
"""Kind of the state digests of a row made on the CPU."""


def trail_row(
    step: int,
    *,
    batch: str | None,
    streams: Mapping[str, int],
    ambient: str,
    loss: str | None,
    state: Mapping[str, str] | None,
    kind: str = KIND,
    segment: int = 0,
) -> dict[str, Any]:
    """Make the row of a step.

    batch: digest over the contents of the batches consumed, None where nothing was consumed. streams: template ->
    numbers handed out in this step. ambient: one further draw of each global generator, hex. loss: digest over the
    names and exact bits of what was logged (its text hides -0.0 and the kinds of NaN). state: component -> digest after
    the step, None where the trail is thinned. segment: 0 until a drift.
    """
    return {
        "step": step,
        "batch": batch,
        "streams": dict(streams),
        "ambient": ambient,
        "loss": loss,
        "state": None if state is None else dict(state),
        "kind": kind,
        "segment": segment,
    }
