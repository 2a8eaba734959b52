"""How an identity grows between the opening of a run and its end: inputs that the loop names, source imported late.

Pure functions over identities; writing them down is session.py's work.
"""

from __future__ import annotations

from collections.abc import Mapping

from samerun.errors import RefusedError
from samerun.record.identity import Identity, moved
from samerun.record.source import USER, Source


def with_inputs(identity: Identity, facts: Mapping[str, str]) -> Identity:
    """Return the identity with the digests of inputs among its experiment facts."""
    if not facts:
        return identity
    known = identity.experiment.get("inputs", {})
    return Identity({**identity.experiment, "inputs": {**known, **facts}}, identity.platform)


def refuse_moved_inputs(recorded: Identity, now: Identity) -> None:
    """Refuse (SR-RUN-015) to go on with a run whose inputs are not what they were."""
    differences = moved(recorded, now)
    if differences:
        raise RefusedError(
            "SR-RUN-015",
            f"{len(differences)} input(s) of this run are not what they were",
            evidence=[f"{one.path}: {one.old} -> {one.new}" for one in differences],
            do="put the old content back, or start a new run with --new",
        )


def not_read(recorded: Identity, facts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of inputs that the run was made from and that a process going on with it did not ask for."""
    return tuple(sorted(set(recorded.experiment.get("inputs", {})) - set(facts)))


def late_labels(source: Source) -> tuple[str, ...]:
    """Return the labels of the files of `source` that were imported late."""
    return tuple(file.label for file in source.of(USER) if file.is_late)


def with_late_imports(identity: Identity, source: Source) -> tuple[Identity, tuple[str, ...]]:
    """Return the identity with the late files of `source`, and the labels of those that are new to it or changed."""
    known = identity.experiment["source"]
    late = {file.label: file.meaning for file in source.of(USER) if file.is_late}
    labels = tuple(sorted(label for label, meaning in late.items() if known[USER].get(label) != meaning))
    if not labels:
        return identity, ()
    experiment = {**identity.experiment, "source": {**known, USER: {**known[USER], **late}}}
    return Identity(experiment, identity.platform), labels
