"""The facts of a plain loop: its config, the source that computes and the platform, under the tier asked for."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from samerun.config.bind import LoopConfig
from samerun.record.project import project_root
from samerun.record.source import Source, gather
from samerun.run.caller import executed_cells
from samerun.run.find import Facts


def loop_facts(
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
    source = gather(root, [] if script is None else [script], cells=executed_cells() if script is None else None)
    experiment: dict[str, Any] = {"config": bound.identity_values(), "source": source.facts()}
    if exact_except:
        experiment["exact_except"] = list(exact_except)
    return Facts(experiment, platform_facts(threads, tier, device=device), seed, root), source
