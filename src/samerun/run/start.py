"""`samerun.start`: a plain training loop becomes a run.

What the caller passes is bound and recorded here; opening the folder is open.py's work, and recipes come in through
trainers/recipe.py.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from samerun.config.bind import LoopConfig, bind
from samerun.record.project import runs_folder
from samerun.record.resolved import ResolvedConfig
from samerun.run.arguments import check_guard, check_start
from samerun.run.caller import caller_file, check_process, entry_of, local_paths
from samerun.run.facts import loop_facts
from samerun.run.launch import LaunchOptions, current_options
from samerun.run.open import Opening, open_run
from samerun.run.policy import loop_policy
from samerun.run.run import Run
from samerun.run.sinks import Sink
from samerun.streams.derive import check_seed


def start(
    name: str,
    *,
    config: object = None,
    seed: int | None = None,
    aside: Mapping[str, str] | None = None,
    tier: Literal["exact", "fast"] = "exact",
    exact_except: Sequence[str] = (),
    threads: Literal["auto"] | int = "auto",
    device: str = "cpu",
    checkpoint: Mapping[str, Any] | None = None,
    trail: Mapping[str, Any] | None = None,
    runs: str | Path | None = None,
    new: bool = False,
    guard: Literal["raise", "record"] | None = None,
    sinks: Sequence[Sink] = (),
) -> Run:
    """Start a run, or go on with the unfinished run of the same name and identity.

    `config` is a dict, dataclass, pydantic model, `argparse.Namespace` or OmegaConf; `aside` maps the names of values
    that stay out of the identity to the reason. `seed` is 0 <= s < 2^128; `None` takes that of the run being continued,
    else draws one and records it. `checkpoint` and `trail` take the keys of the recipe's tables. `new` forces a fresh
    run. `guard` notes draws that no second run repeats ("record"), or stops there ("raise"). Use it as a context
    manager; leaving it by a stop raises `samerun.Stopped` (exit code 75).

    Raises ConfigError for a config that cannot be recorded, LockedError for a live run, MissingError for a device that
    is absent, UsageError for arguments that cannot be (SR-RUN-020 for one without meaning).
    """
    options, script = current_options(), caller_file()
    check_process()
    check_start(options.name or name, exact_except, runs, sinks, aside=aside, checkpoint=checkpoint, trail=trail)
    bound = bind({} if config is None else config, aside)
    policy = loop_policy({**(checkpoint or {}), **dict(options.checkpoint)}, {**(trail or {}), **dict(options.trail)})
    asked = _seed_of(options, seed)
    facts, source = loop_facts(bound, script, asked, options.tier or tier, exact_except, threads, device)
    opening = Opening(
        name=options.name or name,
        runs=runs_folder(options.runs or (None if runs is None else Path(runs)), script),
        facts=facts,
        config=_told(_resolved(bound), options),
        source=source,
        entry=entry_of(script, source.root, options),
        policy=policy,
        tier=options.tier or tier,
        exact_except=tuple(exact_except),
        sinks=sinks,
        grade="interactive" if script is None else "full",
        local=local_paths(script, options),
    )
    return open_run(opening, _wishes(options, new, guard))


def _told(config: ResolvedConfig, options: LaunchOptions) -> ResolvedConfig:
    """Say what of the config is not recorded as it is: a secret, a path of this machine."""
    for note in () if options.is_quiet else config.notes:
        sys.stderr.write(f"samerun: {note}\n")
    return config


def _wishes(options: LaunchOptions, new: bool, guard: str | None) -> LaunchOptions:
    return replace(options, is_new=options.is_new or new, guard=check_guard(options.guard or guard))


def _seed_of(options: LaunchOptions, seed: int | None) -> int | None:
    asked = options.seed if options.seed is not None else seed
    return None if asked is None else check_seed(asked)


def _resolved(bound: LoopConfig) -> ResolvedConfig:
    return ResolvedConfig(
        values=bound.plain,
        origins={path: origin.as_json() for path, origin in bound.origins.items()},
        asides=bound.asides,
        identity_digest=bound.digest,
        notes=bound.notes,
    )
