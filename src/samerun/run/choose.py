"""Which existing run a start goes on with, if any; what moved is refused, allowed as drift, or told.

Comparing facts is find.py's work, making folders open.py's.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from samerun.base.text import plural, short_digests
from samerun.errors import RefusedError
from samerun.record.identity import Moved, refused
from samerun.record.progress import progress_of
from samerun.record.reader import RunRecord
from samerun.record.source import Source
from samerun.record.subject import train_anew
from samerun.run.drift import details_of, told
from samerun.run.find import Facts, Found, compare, runs_named
from samerun.run.launch import LaunchOptions
from samerun.run.opening import Opening
from samerun.streams.derive import draw_seed

__all__ = ["Found", "choose_run", "choose_seed"]


def choose_run(opening: Opening, options: LaunchOptions) -> Found | None:
    """Find the run to go on with, if there is one; say what moved when only another identity of this name exists."""
    if options.run_folder is not None:
        found = compare(RunRecord.open(options.run_folder), opening.facts)
        _refuse_moved(found, opening.source, options)
        return found
    if options.is_new:
        return None
    others = [compare(record, opening.facts) for record in runs_named(opening.runs, opening.name)]
    same = [found for found in others if not found.differences]
    if same:
        _refuse_fewer(same[0].record, opening.steps)
        return same[0]
    if options.continue_only:
        raise _nothing_to_continue(opening, others)
    if others and not options.is_quiet:
        _tell_moved(others[0], opening.source)
    return None


def _nothing_to_continue(opening: Opening, others: Sequence[Found]) -> RefusedError:
    nothing = [f"no run of this name in {opening.runs}"]
    return RefusedError(
        "SR-RUN-016",
        f"there is no run '{opening.name}' of this identity to continue",
        evidence=_lines(others[0], opening.source, others[0].differences) if others else nothing,
        do="leave --continue-only out to begin at step 0",
    )


def _refuse_moved(found: Found, source: Source, options: LaunchOptions) -> None:
    left = refused(found.differences, options.allow_drift)
    if left:
        groups = sorted({one.drift_group for one in left if one.drift_group is not None})
        is_coverable = all(one.drift_group is not None for one in left)
        raise RefusedError(
            "SR-RUN-017",
            f"{found.record.name}: the identity moved in {plural(len(left), 'field')}",
            evidence=_lines(found, source, left),
            do=f"samerun resume {found.record.folder} --allow-drift {','.join(groups)}"
            if is_coverable
            else "put it back, or start a new run: its settings make it another experiment",
        )


def _refuse_fewer(record: RunRecord, wanted: int | None) -> None:
    """Refuse to end a run before a step that it has completed: the record would say less than was done."""
    done = progress_of(record).step
    if wanted is None or wanted >= done or record.is_live:
        return
    raise RefusedError(
        "SR-RUN-026",
        f"{record.name} has completed more steps than are wanted in all",
        evidence=[f"completed: {done}", f"wanted: steps={wanted}"],
        do=f"-s steps={done} or more, or a run of its own: {train_anew(record.manifest.entry)}",
    )


def _tell_moved(found: Found, source: Source) -> None:
    one = found.differences[0]
    more = f" and {len(found.differences) - 1} more" if len(found.differences) > 1 else ""
    files = details_of(found.record, source, [one]).get(one.path, ())
    values = str(files[0]) if files else short_digests(f"from {one.old!r} to {one.new!r}")
    moved = f"{one.name} moved ({values})" if files else f"{one.name} moved {values}"
    sys.stderr.write(f"samerun: a new run, since {moved}{more}; the old one: {_way_back(found)}\n")


def _way_back(found: Found) -> str:
    """Say how the old run goes on: its settings are in its record, its source and platform have to be as they were."""
    command = f"samerun resume {found.record.folder}"
    drifted = [one for one in found.differences if one.drift_group is not None]
    if not drifted:
        return command
    names = list(dict.fromkeys(_what(one) for one in drifted))
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    groups = ",".join(sorted({str(one.drift_group) for one in drifted}))
    return f"put {', '.join(names[:3])}{more} back, then {command} (or as it is now: --allow-drift {groups})"


def _what(one: Moved) -> str:
    """Name a file of the source by its path, another fact by its own."""
    file = one.path.partition('["')[2].partition('"]')[0]
    return file if file and one.drift_group == "source" else one.path


def _lines(found: Found, source: Source, differences: Sequence[Moved]) -> list[str]:
    details = details_of(found.record, source, differences)
    return [told(one, details) for one in differences]


def choose_seed(facts: Facts, found: Found | None) -> int:
    """Return the seed asked for, else that of the run being continued, else a new one."""
    if facts.seed is not None:
        return facts.seed
    return found.seed if found is not None else draw_seed()
