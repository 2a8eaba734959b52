"""What `train --dry-run` and `resume --dry-run` answer: which folder a start means, and from where it would go on.

Resolves and compares as a start does; writes nothing, locks nothing, loads no torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samerun.checkpoint.store import latest
from samerun.config.resolved import Config
from samerun.config.secrets import recorded_secrets
from samerun.record import layout
from samerun.record.reader import RunRecord
from samerun.rerun.origin import Origin
from samerun.run.find import Facts, compare, runs_named
from samerun.run.launch import LaunchOptions

NOT_LOOKED_AT = "data and model, secrets and uncommitted changes: what is refused is found before a folder is made"
MAY_HAVE_MOVED = "settings, source and data: what is other than in the run is found when it goes on"
UNKNOWN_SEED = "drawn at the start"


def plan_recipe(config: Config, options: LaunchOptions, project: Path) -> dict[str, Any]:
    """Say what training this config would do."""
    from samerun.trainers.opening import recipe_facts, recipe_name

    assert options.runs is not None
    facts, _ = recipe_facts(config, project)
    name = options.name or recipe_name(config)
    known = None if options.is_new else _same_run(options.runs, name, facts)
    if known is not None:
        return {"action": "go on", **plan_record(known), "steps": config.values.steps}
    seed = facts.seed
    return {
        "action": "start",
        "run": (options.runs / layout.folder_name(name, facts.identity(seed).id8)).as_posix()
        if seed is not None
        else None,
        "identity": facts.identity(seed).id if seed is not None else None,
        "seed": seed if seed is not None else UNKNOWN_SEED,
        "from_step": 0,
        "steps": config.values.steps,
        "not_looked_at": NOT_LOOKED_AT,
        **_needs(config.plain, config.asides),
    }


def plan_script(script: Path, options: LaunchOptions) -> dict[str, Any]:
    """Say what little is known of a script before it runs."""
    return {
        "action": "run the script",
        "script": script.as_posix(),
        "arguments": list(options.argv or ()),
        "runs": options.runs,
        "why": "its settings are known once it has called samerun.start",
    }


def plan_resume(record: RunRecord, origin: Origin) -> dict[str, Any]:
    """Say from where a run would go on, and with which code."""
    code = origin.script if origin.script is not None else origin.root
    return {
        "action": "go on",
        **plan_record(record),
        "steps": record.manifest.steps,
        "code": code,
        "not_looked_at": MAY_HAVE_MOVED,
        **_needs(record.config.values, record.config.asides),
    }


def _needs(values: Mapping[str, Any], asides: Mapping[str, str]) -> dict[str, Any]:
    """Say which secrets have to be here, where any has."""
    secrets = recorded_secrets(values, asides)
    return {"needs_secrets": secrets} if secrets else {}


def plan_record(record: RunRecord) -> dict[str, Any]:
    """Say where a recorded run stands and what its newest checkpoint weighs."""
    newest = latest(record.folder / layout.CHECKPOINTS)
    return {
        "run": record.folder.as_posix(),
        "identity": record.manifest.identity,
        "status": str(record.status.value),
        "from_step": 0 if newest is None else newest.step,
        "checkpoint": None if newest is None else f"{layout.CHECKPOINTS}/{newest.path.name}",
        "checkpoint_bytes": None if newest is None else newest.nbytes,
    }


def _same_run(runs: Path, name: str, facts: Facts) -> RunRecord | None:
    others = (compare(record, facts) for record in runs_named(runs, name))
    return next((found.record for found in others if not found.differences), None)
