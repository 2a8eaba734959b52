"""`samerun.start`: a plain training loop becomes a run.

What the caller passes is bound and recorded here; opening the folder is open.py's work, and recipes come in through
trainers/recipe.py.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from samerun.config.bind import LoopConfig, bind
from samerun.record.layout import check_name
from samerun.record.manifest import Entry
from samerun.record.project import project_root, runs_folder
from samerun.record.resolved import ResolvedConfig
from samerun.record.source import Source, gather
from samerun.run.find import Facts
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
    sinks: Sequence[Sink] = (),
) -> Run:
    """Start a run, or go on with the unfinished run of the same name and identity.

    `config` is a dict, dataclass, pydantic model, `argparse.Namespace` or OmegaConf; `aside` maps the names of values
    that stay out of the identity to the reason. `seed` is 0 <= s < 2^128; `None` takes that of the run being continued,
    else draws one and records it. `checkpoint` and `trail` take the keys of the recipe's tables. `new` forces a fresh
    run. Use it as a context manager; leaving it by a stop raises `samerun.Stopped` (exit code 75).

    Raises ConfigError for a config that cannot be recorded, LockedError for a live run, MissingError for a device that
    is absent, UsageError for a name or seed that cannot be.
    """
    options = current_options()
    check_name(options.name or name)
    asked = options.seed if options.seed is not None else seed
    bound = bind({} if config is None else config, aside)
    policy = loop_policy({**(checkpoint or {}), **dict(options.checkpoint)}, {**(trail or {}), **dict(options.trail)})
    script = _caller_file()
    facts, source = _facts(
        bound, script, None if asked is None else check_seed(asked), options.tier or tier, exact_except, threads, device
    )
    opening = Opening(
        name=options.name or name,
        runs=runs_folder(options.runs or (None if runs is None else Path(runs)), script),
        facts=facts,
        config=_resolved(bound),
        source=source,
        entry=_entry(script, source.root, options),
        policy=policy,
        tier=options.tier or tier,
        exact_except=tuple(exact_except),
        sinks=sinks,
        grade="interactive" if script is None else "full",
        local=_local(script),
    )
    return open_run(opening, LaunchOptions(**{**vars(options), "is_new": options.is_new or new}))


def _facts(
    bound: LoopConfig,
    script: Path | None,
    seed: int | None,
    tier: str,
    exact_except: Sequence[str],
    threads: Literal["auto"] | int,
    device: str,
) -> tuple[Facts, Source]:
    """Put the process under the tier, then collect what makes this experiment and this platform."""
    from samerun.tiers.probe import platform_facts

    if find_spec("torch") is not None:
        from samerun.tiers.enforce import enforce

        enforce(tier, threads, exact_except, device)
    root = project_root(script or Path.cwd())
    source = gather(root, [] if script is None else [script], cells=_cells() if script is None else None)
    experiment: dict[str, Any] = {"config": bound.identity_values(), "source": source.facts()}
    if exact_except:
        experiment["exact_except"] = list(exact_except)
    return Facts(experiment, platform_facts(threads, tier, device=device), seed), source


def _resolved(bound: LoopConfig) -> ResolvedConfig:
    return ResolvedConfig(
        values=bound.plain,
        origins={path: origin.as_json() for path, origin in bound.origins.items()},
        asides=bound.asides,
        identity_digest=bound.digest,
        notes=bound.notes,
    )


def _caller_file() -> Path | None:
    """Return the file that called `samerun.start`; `None` for a prompt or notebook cell."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "samerun":
        frame = frame.f_back
    path = Path(frame.f_code.co_filename)
    return path.resolve() if path.is_file() else None


def _cells() -> dict[str, bytes]:
    """Return the cells that a notebook or an interactive session has executed, in order; none at a plain prompt."""
    shell = sys.modules.get("IPython")
    session = None if shell is None else shell.get_ipython()
    if session is None:
        return {}
    return {f"cell-{number:04d}.py": text.encode() for number, text in enumerate(session.user_ns.get("In", ())) if text}


def _entry(script: Path | None, root: Path, options: LaunchOptions) -> Entry:
    """Say what started this: a script that `resume` can start again, or a loop inside something else."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    if script is None or main is None:
        return Entry("loop")
    is_main = Path(main).resolve() == script
    argv = tuple(sys.argv[1:]) if options.argv is None else options.argv
    return Entry("script" if is_main else "loop", argv if is_main else (), script.relative_to(root).as_posix())


def _local(script: Path | None) -> dict[str, str]:
    return {"cwd": str(Path.cwd()), "root": str(project_root(script or Path.cwd())), "script": str(script or "")}
