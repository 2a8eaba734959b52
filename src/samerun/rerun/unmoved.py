"""Whether what is here still is what a run was made with: the names of drift that may be allowed, and the refusal of
an evaluation by other settings, source or data. Facts are compared as `resume` compares them (run/find.py).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from samerun.base.text import nearest, plural, short_digests
from samerun.config.resolved import Config
from samerun.errors import RefusedError, UsageError
from samerun.record.identity import DRIFT_GROUPS, GROUPS, Identity, Moved, moved, refused
from samerun.record.reader import RunRecord

_FIRST_KEY = re.compile(r"[^.\[]+")


def check_drift_names(names: Iterable[str], identity: Identity) -> None:
    """Refuse (UsageError SR-RESUME-005) a name that is neither a group of drift nor a field of the run's identity."""
    fields = {*identity.experiment, *identity.platform}
    for name in names:
        path = next((name.removeprefix(f"{group}.") for group in GROUPS if name.startswith(f"{group}.")), name)
        first = _FIRST_KEY.match(path)
        if name in DRIFT_GROUPS or (first is not None and first[0] in fields):
            continue
        close = nearest(name, {*DRIFT_GROUPS, *fields})
        raise UsageError(
            "SR-RESUME-005",
            f"--allow-drift: there is no group or field '{name}'",
            evidence=[f"groups: {', '.join(DRIFT_GROUPS)}", f"fields of this run: {', '.join(sorted(fields))}"],
            do=f"--allow-drift {close}" if close else f"--allow-drift {DRIFT_GROUPS[0]}, or one of the others",
        )


def moved_facts(record: RunRecord, config: Config, project: Path) -> tuple[Moved, ...]:
    """Compare the settings, the source and the platform of now with those of a recipe's run."""
    from samerun.run.find import compare
    from samerun.trainers.opening import recipe_facts

    facts, _ = recipe_facts(config, project)
    return compare(record, facts).differences


def moved_inputs(identity: Identity, paths: Sequence[Path]) -> list[Moved]:
    """Compare the content of files and folders with the digests that a run has of them."""
    from samerun.run.inputs import Inputs

    inputs = Inputs()
    for path in paths:
        inputs.add_path(str(path), revision=None, is_entered=False)
    known = identity.experiment.get("inputs", {})
    before = {name: known[name] for name in inputs.facts if name in known}
    return moved(Identity({"inputs": before}), Identity({"inputs": inputs.facts}))


def admit(record: RunRecord, differences: Sequence[Moved], allowed: Collection[str]) -> tuple[str, ...]:
    """Return the names of the experiment facts that moved and may; the platform is only told, never refused here.

    Raises RefusedError SR-EVALUATE-005 naming every fact that moved and may not.
    """
    experiment = [one for one in differences if one.group == "experiment"]
    left = refused(experiment, allowed)
    if left:
        groups = sorted({one.drift_group for one in left if one.drift_group is not None})
        is_coverable = all(one.drift_group is not None for one in left)
        raise RefusedError(
            "SR-EVALUATE-005",
            f"{record.name} was not trained with what is here: {plural(len(left), 'field')} moved",
            evidence=[short_digests(f"{one.name}: {one.old!r} in the run, {one.new!r} now") for one in left],
            do=f"put the old code back, or samerun evaluate {record.name} --allow-drift {','.join(groups)}"
            if is_coverable
            else "put the old content back: other data or settings are another experiment",
        )
    return tuple(one.name for one in experiment)
