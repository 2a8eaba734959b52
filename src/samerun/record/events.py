"""Rows of `events.jsonl`: what happened to the processes of a run, with the time of day.

Restarts, retries, stops, hooks and failing sinks are events, never metric columns: two equal runs may have had other
events. Texts are redacted here, since an exception may quote a secret, or a path of this machine.
"""

from collections.abc import Mapping
from typing import Any, Final

from samerun.base import clock
from samerun.base.shareable import shareable

KINDS: Final[Mapping[str, str]] = {
    "open": "the run folder was made",
    "resume": "a process went on from a checkpoint",
    "checkpoint": "a checkpoint was written",
    "stop": "the run stopped at a step boundary",
    "complete": "the run came to its end",
    "fail": "an exception ended the run",
    "abort": "a second signal ended the process",
    "drift": "facts moved and that was allowed",
    "input_not_read": "inputs of the run were not asked for by a process that went on with it",
    "aside": "a process went on with other aside values than the one before",
    "not_a_number": "a logged number was NaN for the first time in a process",
    "guard": "a call site that a second run would not repeat, and how often it was reached",
    "guarded": "the guard stood around this process: how it was set, and how much it found",
    "late_import": "source was imported after the opening",
    "source_changed": "recorded source was edited between the opening and the end of this process",
    "environment_moved": "a process went on in another environment than the one before, in facts that are no identity",
    "evaluation": "an evaluation outside any step",
    "best": "a metric was better than ever",
    "hook": "an external hook was done",
    "sink_failed": "a sink failed and was taken off",
    "worker_restarted": "a loader worker died and was started again",
    "retry": "work was done again after a failure",
    "recheck": "a step was repeated and compared",
    "clock_backwards": "the wall clock went back",
    "note": "anything else worth knowing",
}
"""What each kind of event means; a kind that is not here is the sender's own and starts with `x_`."""


def event_row(kind: str, *, attempt: int, step: int | None = None, **facts: Any) -> dict[str, Any]:
    """Make a row: kind, time (ISO 8601 in UTC), number of the process, completed steps, further facts.

    Secrets and paths of this machine are taken out of the facts.

    Raises ValueError for an unknown kind.
    """
    if kind not in KINDS and not kind.startswith("x_"):
        raise ValueError(f"unknown kind of event: {kind!r}")
    row: dict[str, Any] = {"event": kind, "at": clock.utc_now(), "attempt": attempt, **shareable(facts)}
    if step is not None:
        row["step"] = step
    return row
