"""What a run of a recipe would record of its data, without a run: the digests of its inputs, and a manifest of them.

The trainer is built as for a run, and what it reads is noted; nothing is trained and nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.data.entry import Entry
from samerun.data.inmemory import leaves, tree_of
from samerun.data.loader import Loader
from samerun.data.manifest import Manifest, pinned_manifest
from samerun.errors import UsageError
from samerun.record.project import project_root
from samerun.record.subject import is_built_in, is_script
from samerun.run.inputs import Inputs
from samerun.streams import ambient
from samerun.streams.stream import StreamSource


@dataclass(frozen=True)
class RecipeData:
    """The answer."""

    inputs: Mapping[str, str]
    """Name -> digest, as they would stand in the identity."""
    manifest: Manifest
    """The files of the one folder or file that is read, else an entry for each input."""


def recipe_data(recipe: str, settings: Sequence[str] = ()) -> RecipeData:
    """Read the data of a recipe and return what its run would record.

    Raises ConfigError for a recipe or data that is wrong, UsageError SR-DATA-036 for a script, whose inputs are known
    once it has run.
    """
    if is_script(recipe):
        raise UsageError(
            "SR-DATA-036",
            f"{recipe} is a script: what it reads is known once it has called run.input",
            do="name the folder or file that it reads: samerun data manifest PATH",
        )
    from samerun.config.layers import resolve
    from samerun.trainers.recipe import prepare

    project = project_root(Path.cwd() if is_built_in(recipe) else Path(recipe))
    plan = prepare(resolve(recipe, settings, project=project), project, project)
    inputs = Inputs()
    for path in plan.inputs:
        inputs.add_path(str(path), revision=None, is_entered=False)
    noting = _Noting(inputs)
    with ambient.scope(noting.source.open("ambient/throwaway")):
        plan.start(noting)
    if len(plan.inputs) == 1:
        return RecipeData(inputs.facts, pinned_manifest(plan.inputs[0]))
    sizes = {**noting.sizes, **{name: found.size_bytes for name, found in inputs.folders.items()}}
    entries = [Entry(name, sizes.get(name, 0), digest) for name, digest in sorted(inputs.facts.items())]
    return RecipeData(inputs.facts, Manifest(tuple(entries), kind="items"))


class _Noting:
    """What a trainer is built in: the loaders that it asks for are noted as a run notes them."""

    def __init__(self, inputs: Inputs) -> None:
        self.source = StreamSource(0)
        self.sizes: dict[str, int] = {}
        self._inputs = inputs

    def loader(self, dataset: Any, batch_size: int, **options: Any) -> Loader:
        known = set(self._inputs.facts)
        self._inputs.add_dataset(options.get("name", "data"), dataset)
        for name in self._inputs.facts.keys() - known:
            self.sizes[name] = sum(leaf.nbytes for _, leaf in leaves(tree_of(dataset)))
        return Loader(dataset, batch_size, source=self.source, **options)
