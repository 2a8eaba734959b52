"""All that a step boundary stands on, made for one session: what is tracked, saved, watched, and when to stop."""

from __future__ import annotations

import os
from dataclasses import dataclass

from samerun.record import layout
from samerun.run.asides import tell_changed
from samerun.run.hooks import Hooks
from samerun.run.launch import LaunchOptions
from samerun.run.lifecycle import StopSwitch, limit_from
from samerun.run.opening import Opening
from samerun.run.saving import Saving
from samerun.run.session import Session
from samerun.run.settle import Settler, Sources
from samerun.run.sinks import Sinks, console_sink
from samerun.run.tracked import Tracked
from samerun.streams.stream import StreamSource

SCHEDULER_END = "SLURM_JOB_END_TIME"
"""Where a batch scheduler exports the end of the job, in Unix seconds."""


@dataclass(frozen=True)
class Boundary:
    """The settler, and those of its parts that the rest of a live run needs too."""

    settler: Settler
    tracked: Tracked
    sources: Sources
    switch: StopSwitch
    hooks: Hooks


def make_boundary(session: Session, opening: Opening, options: LaunchOptions, seed: int) -> Boundary:
    """Make the boundary of a session; `seed` is the master seed of both sources."""
    tracked, hooks = Tracked(), Hooks(session.folder)
    if session.is_resumed:
        tell_changed(session, opening.config, is_quiet=options.is_quiet)
    sources = Sources(StreamSource(seed), StreamSource(seed))
    switch = StopSwitch(
        stop_after=options.stop_after,
        limit_seconds=limit_from(options.time_limit_seconds, os.environ.get(SCHEDULER_END)),
    )
    saving = Saving(session.folder / layout.CHECKPOINTS, opening.policy, is_fallback=options.is_fallback)
    sinks = Sinks([*opening.sinks, *([] if options.is_quiet else [console_sink(opening.name)])])
    settler = Settler(session, tracked, sources, saving, hooks, sinks, switch)
    return Boundary(settler, tracked, sources, switch, hooks)
