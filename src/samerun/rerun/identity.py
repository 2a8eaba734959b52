"""The verb `identity`: every fact that makes two runs the same experiment on the same platform, of a recipe or a run.

Of a recipe it is computed as a start would, without torch and without touching data: digests of data and starting
weights join when the run starts, and `is_complete` says whether they are in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from samerun.errors import UsageError
from samerun.record.find import find_run
from samerun.record.identity import Identity
from samerun.record.project import project_root, runs_folder
from samerun.record.show import lacks_inputs
from samerun.record.subject import is_built_in, is_recipe, is_script


@dataclass(frozen=True)
class IdentityFacts:
    """The answer. `id` is null where the master seed is only drawn at the start."""

    subject: str
    id: str | None
    experiment: Mapping[str, Any]
    platform: Mapping[str, Any]
    experiment_digest: str | None
    platform_digest: str
    is_complete: bool
    """Whether this is the identity of a run that trained: with the digests of its data and starting weights."""
    lacks_inputs: bool = False
    """Whether this is a loop that trained without an input; said in text, since `experiment` shows it."""
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Settings that a secret is read for when the run starts, and where from; no part of the identity."""

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        return {
            "subject": self.subject,
            "id": self.id,
            "experiment": dict(self.experiment),
            "platform": dict(self.platform),
            "experiment_digest": self.experiment_digest,
            "platform_digest": self.platform_digest,
            "is_complete": self.is_complete,
            "secrets": dict(self.secrets),
        }


def identity(subject: str | Path, settings: Sequence[str] = (), *, runs: Path | None = None) -> IdentityFacts:
    """Return the facts of a RECIPE (with `-s` values over it) or a RUN.

    Raises ConfigError for a recipe that is wrong, MissingError for a device that is not here, UsageError
    SR-IDENTITY-001 for a script, whose facts are only known once it has called samerun.start.
    """
    text = str(subject)
    if not is_recipe(text):
        from samerun.config.secrets import recorded_secrets

        record = find_run(text, runs_folder(runs))
        found = _answer(record.name, record.identity, is_complete=True)
        secrets = recorded_secrets(record.config.values, record.config.asides)
        return replace(found, lacks_inputs=lacks_inputs(record), secrets=secrets)
    if is_script(text):
        raise UsageError(
            "SR-IDENTITY-001",
            f"{text} is a script: its facts are known once it has called samerun.start",
            do="train it with --stop-after 0, then: samerun identity @last",
        )
    return _of_recipe(text, settings)


def _of_recipe(recipe: str, settings: Sequence[str]) -> IdentityFacts:
    from samerun.config.layers import resolve
    from samerun.config.secrets import secrets_of
    from samerun.trainers.opening import recipe_facts

    project = project_root(Path.cwd() if is_built_in(recipe) else Path(recipe))
    config = resolve(recipe, settings, project=project)
    facts, _ = recipe_facts(config, project)
    secrets = {path: secret.shown for path, secret in secrets_of(config.values).items()}
    if facts.seed is None:
        known = Identity(facts.experiment, facts.platform)
        return IdentityFacts(
            recipe,
            None,
            facts.experiment,
            facts.platform,
            None,
            known.platform_digest,
            is_complete=False,
            secrets=secrets,
        )
    return replace(_answer(recipe, facts.identity(facts.seed), is_complete=False), secrets=secrets)


def _answer(subject: str, found: Identity, *, is_complete: bool) -> IdentityFacts:
    return IdentityFacts(
        subject=subject,
        id=found.id,
        experiment=found.experiment,
        platform=found.platform,
        experiment_digest=found.experiment_digest,
        platform_digest=found.platform_digest,
        is_complete=is_complete,
    )
