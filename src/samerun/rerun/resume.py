"""The verb `resume`: go on with a recorded run from its newest checkpoint, with its own settings and its own code.

The settings are those of the record, not of today's defaults. Where its code is, and whether it may run: origin.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from samerun.record.find import find_run
from samerun.record.local import arguments_of
from samerun.record.project import runs_folder
from samerun.rerun.outcome import Outcome
from samerun.rerun.restored import own_code
from samerun.rerun.train import train_config, train_script
from samerun.rerun.unmoved import check_drift_names
from samerun.rerun.watching import TraceWatch, TraceWish
from samerun.rerun.wishes import check_steps, seconds_of
from samerun.run.launch import LaunchOptions


def resume(
    run: str | Path,
    settings: Sequence[str] = (),
    *,
    runs: Path | None = None,
    stop_after: int | None = None,
    time_limit: str | None = None,
    allow_drift: Sequence[str] = (),
    fallback: bool = False,
    trust: bool = False,
    quiet: bool = False,
    project: Path | None = None,
    trace: TraceWish | None = None,
) -> Outcome:
    """Go on with a run, in this process, until it ends or stops.

    Only aside settings may change. Raises RefusedError where the identity moved (`allow_drift` names what may) or an
    identity value is set, LockedError for a live run, DamageError for a damaged record (`fallback` takes the newest
    good checkpoint instead), MissingError where the script is not here. `project` is where its code lies, if that is
    not where it was; `trace` asks for a recording of one step.
    """
    record = find_run(str(run), runs_folder(runs))
    check_drift_names(allow_drift, record.identity)
    options = LaunchOptions(
        name=record.manifest.name,
        seed=int(record.manifest.seed),
        tier=record.manifest.tier,
        runs=record.folder.parent,
        run_folder=record.folder,
        stop_after=stop_after,
        time_limit_seconds=seconds_of(time_limit),
        allow_drift=tuple(allow_drift),
        is_fallback=fallback,
        is_quiet=quiet,
    )
    with own_code(record, settings, trust=trust, root=project) as own:
        watch = None if trace is None else TraceWatch(trace, record, own.root)
        wishes = replace(options, watch=watch)
        if own.config is not None:
            check_steps(record, own.config.values.steps)
            return train_config(own.config, wishes, own.root)
        assert own.script is not None
        return train_script(own.script, settings, replace(wishes, argv=arguments_of(record)))
