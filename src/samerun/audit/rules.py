"""The rules of the audit, in the order of their codes. Each reads one file's names and yields what it saw."""

from __future__ import annotations

from typing import Final

from samerun.audit import (
    arithmetic,
    arrival,
    defaults,
    generators,
    keys,
    listings,
    loading,
    seeds,
    sets,
    surroundings,
    untracked,
)
from samerun.audit.finding import Rule

RULES: Final[tuple[Rule, ...]] = (
    generators.generators,
    generators.early_draws,
    generators.thread_draws,
    generators.item_draws,
    untracked.untracked,
    seeds.seeds,
    seeds.hashes,
    listings.listings,
    sets.sets,
    arrival.arrivals,
    arrival.shared_lists,
    loading.loaders,
    loading.pickles,
    arithmetic.switches,
    arithmetic.kernels,
    defaults.defaults,
    defaults.fields,
    keys.keys,
    surroundings.environment,
    surroundings.time_branches,
)
