"""How a training is made again in a new process: the command line of it, and where its code is.

A making of a recorded run comes from recorded.py; series.py runs the commands, verify.py decides how often and how far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from samerun.base import files
from samerun.config.origin import flatten
from samerun.config.resolved import Config
from samerun.errors import ConfigError
from samerun.record.project import ROOT_MARKS, project_root
from samerun.record.restore import import_paths
from samerun.record.subject import is_built_in, is_script
from samerun.rerun.mishap import Mishap
from samerun.rerun.train import resolve_recipe
from samerun.rerun.watching import WalkWish
from samerun.run.launch import LaunchOptions

NAME = "verify"


@dataclass(frozen=True)
class Order:
    """How far one training goes, and what is other in it than in the rest. Nothing here is identity."""

    stop_after: int | None = None
    settings: tuple[str, ...] = ()
    """Aside settings, over those of the making."""
    name: str | None = None
    mishap: Mishap | None = None
    walk: WalkWish | None = None

    @property
    def is_killable(self) -> bool:
        """Whether the process may end by SIGKILL."""
        return self.mishap is not None and self.mishap.kind == "kill"


@dataclass(frozen=True)
class Making:
    """One training as a command: what stands after `samerun train`, and where it is run."""

    recipe: str
    """An absolute path, or the name of a built-in recipe."""
    settings: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    """What a script gets after `--`."""
    project: Path | None = None
    """Root of the project whose parts it uses; null leaves it to the recipe's own place."""
    data_root: Path | None = None
    """Where a recipe's relative paths of data start; null: at `project`."""
    home: Path | None = None
    """Where it was, or would be, started: where it still runs if it runs nowhere else."""
    seed: int | None = None
    document: bytes | None = None
    """A recorded recipe, to be written down before it can be trained."""
    snapshot: Mapping[str, bytes] = field(default_factory=dict)
    """Code of the record, by its path in the project, where it is not the code that is here."""
    data: Mapping[str, Path] = field(default_factory=dict)
    """Data that came with the record and is not here, by its path in the project."""
    name: str = NAME
    """What the run of a recipe is called; those of a script have names of their own."""
    interpreter: Path | None = None
    """The Python that runs it; null is the one that runs this."""
    import_from: tuple[Path, ...] | None = None
    """Folders to import from; null finds out which of the project's the recipe uses."""
    not_from: Path | None = None
    """A folder that nothing is imported from: the original project, where another copy of it is run."""

    def prepared(self, folder: Path) -> Making:
        """Write what must lie on disk into `folder`, and return the making that uses it."""
        made = self
        if self.snapshot or self.data:
            project = folder / "project"
            files.make_dir(project)
            for label, text in sorted(self.snapshot.items()):
                files.make_dir((project / label).parent)
                files.write_new(project / label, text)
            for label, path in sorted(self.data.items()):
                files.make_dir((project / label).parent)
                files.link(path, project / label)
            if project_root(project) != project:
                # It lies beside the runs, inside the project whose code it must not be taken for.
                files.write_new(project / ROOT_MARKS[0], b"")
            is_own_script = self.runs_script and self.project is not None
            script = project / Path(self.recipe).relative_to(self.project or project) if is_own_script else None
            # The snapshot holds code alone: data stays where the run found it, unless it came along.
            made = replace(
                made,
                project=project,
                data_root=project if self.data else self.data_root or self.project,
                recipe=str(script) if script is not None else made.recipe,
                home=self.project if script is not None else made.home,
            )
        if self.document is not None:
            recipe = folder / "recipe.json"
            files.write_new(recipe, self.document)
            made = replace(made, recipe=str(recipe))
        return made

    def with_seed(self, seed: int) -> Making:
        """Return the same making under the seed that its first training drew or had."""
        return replace(self, seed=seed)

    def config(self, further: Sequence[str] = ()) -> Config | None:
        """Resolve the recipe, with further settings over it; null for a script. Raises ConfigError."""
        if self.runs_script:
            return None
        options = LaunchOptions(name=NAME, seed=self.seed)
        return resolve_recipe(self.recipe, [*self.settings, *further], options, self.project)

    def imports(self) -> tuple[Path, ...]:
        """Return the folders that parts of the project come from, where the recipe uses any; those of a snapshot."""
        if self.import_from is not None:
            return self.import_from
        if self.project is None or (self.runs_script and not self.snapshot):
            return ()
        if self.runs_script:
            return import_paths(self.project)
        kinds = [str(value) for path, value in flatten(self._plain()) if path.split(".")[-1] in ("kind", "trainer")]
        uses_project = any(":" in kind for kind in kinds)
        if uses_project and self.snapshot:
            return import_paths(self.project)
        folders = (self.project, self.project / "src") if uses_project else ()
        return tuple(folder.resolve() for folder in folders if folder.is_dir())

    def _plain(self) -> Mapping[str, Any]:
        try:
            config = self.config()
        except ConfigError:
            return {}  # the training itself says what is wrong
        return {} if config is None else config.plain

    @property
    def runs_script(self) -> bool:
        """Whether a program of the user's is run, and no recipe."""
        return is_script(self.recipe)

    def command(self, runs: Path, order: Order) -> list[str]:
        """Return the words after `samerun` for one training with its runs in `runs`."""
        command = ["train", self.recipe, "--runs", str(runs.absolute())]
        # A script may start several runs: each keeps the name that it has there.
        name = order.name or (None if self.runs_script else self.name)
        # Whether the tree is dirty was a question of the run that is proved, not of its proof.
        command += ["--allow-dirty", *(["--name", name] if name is not None else [])]
        # Aside, all of them: a trail row with the state's digest at every step is what the proof compares.
        for setting in (*self.settings, "trail.state_every=1", *order.settings):
            command += ["-s", setting]
        if order.stop_after is not None:
            command += ["--stop-after", str(order.stop_after)]
        if order.mishap is not None:
            command += ["--mishap", order.mishap.as_argument()]
        if order.walk is not None:
            command += ["--walk", str(order.walk.path), "--walk-until", str(order.walk.until)]
        if self.not_from is not None:
            command += ["--not-from", str(self.not_from)]
        if self.seed is not None:
            command += ["--seed", str(self.seed)]
        if self.project is not None and not self.runs_script:
            command += ["--project", str(self.project)]
            command += ["--data-root", str(self.data_root)] if self.data_root is not None else []
        return command + (["--", *self.arguments] if self.arguments else [])


def making_of_recipe(recipe: str, settings: Sequence[str] = (), arguments: Sequence[str] = ()) -> Making:
    """Return how a RECIPE is trained: a script where it is now, since its own paths may depend on it."""
    if is_built_in(recipe):
        return Making(recipe, tuple(settings), project=project_root(Path.cwd()), home=Path.cwd())
    path = Path(recipe).absolute()
    if is_script(recipe):
        return Making(str(path), tuple(settings), tuple(arguments), home=Path.cwd())
    return Making(str(path), tuple(settings), project=project_root(path), home=Path.cwd())
