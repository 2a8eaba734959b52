"""How a training is made again in a new process: from a recipe, from a script, or from a record.

A `Making` knows the command line of one training and where its code is; verify.py decides how often and how far.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from samerun.base import files
from samerun.base.digest import sha256
from samerun.base.text import plural
from samerun.errors import InternalError, MissingError, RefusedError
from samerun.record.project import ROOT_MARKS, project_root
from samerun.record.reader import RunRecord
from samerun.record.source import place_of
from samerun.record.source_read import read_snapshot, read_source
from samerun.record.subject import is_built_in, is_script
from samerun.rerun.child import SURROUNDINGS, run_samerun
from samerun.rerun.origin import USER_PLACE, config_of, origin_of

NAME = "verify"


class CodeIsLost(MissingError):
    """The code that made a run is not here, and its snapshot does not hold it as it was."""


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
    cwd: Path | None = None
    """Where it must run; null: somewhere else each time, since nothing depends on it."""
    seed: int | None = None
    document: bytes | None = None
    """A recorded recipe, to be written down before it can be trained."""
    snapshot: Mapping[str, bytes] = field(default_factory=dict)
    """Code of the record, by its path in the project, where it is not the code that is here."""

    def prepared(self, folder: Path) -> Making:
        """Write what must lie on disk into `folder`, and return the making that uses it."""
        made = self
        if self.snapshot:
            project = folder / "project"
            for label, text in sorted(self.snapshot.items()):
                files.make_dir((project / label).parent)
                files.write_new(project / label, text)
            if project_root(project) != project:
                # It lies beside the runs, inside the project whose code it must not be taken for.
                files.write_new(project / ROOT_MARKS[0], b"")
            is_own_script = self.document is None and self.project is not None
            script = project / Path(self.recipe).relative_to(self.project or project) if is_own_script else None
            # The snapshot holds code alone: data stays where the run found it.
            made = replace(
                made,
                project=project,
                data_root=self.data_root or self.project,
                recipe=str(script) if script is not None else made.recipe,
                cwd=self.project if script is not None else made.cwd,
            )
        if self.document is not None:
            recipe = folder / "recipe.json"
            files.write_new(recipe, self.document)
            made = replace(made, recipe=str(recipe))
        return made

    def with_seed(self, seed: int) -> Making:
        """Return the same making under the seed that its first training drew or had."""
        return replace(self, seed=seed)

    def train(
        self, runs: Path, number: int, *, stop_after: int | None = None, checkpoint_every: int | None = None
    ) -> RunRecord:
        """Train in a new process, going on with the run that is in `runs`, and return its record.

        `number` chooses the surroundings. Raises the child's own error where it fails.
        """
        surroundings = SURROUNDINGS[number % len(SURROUNDINGS)]
        cwd = self.cwd if self.cwd is not None else runs.parent / f"elsewhere-{surroundings.name}"
        files.make_dir(cwd)
        outcome = run_samerun(self._command(runs, stop_after, checkpoint_every), surroundings, cwd)
        folder = outcome.document.get("run")
        if not isinstance(folder, str):
            raise InternalError("SR-VERIFY-070", "a child did not name its run", do="report this")
        return RunRecord.open(Path(folder))

    def _command(self, runs: Path, stop_after: int | None, checkpoint_every: int | None) -> list[str]:
        command = ["train", self.recipe, "--runs", str(runs.absolute()), "--name", NAME]
        # Aside, all of them: a trail row with the state's digest at every step is what the proof compares.
        settings = [*self.settings, "trail.state_every=1"]
        if checkpoint_every is not None:
            settings.append(f"checkpoint.every={checkpoint_every}")
        for setting in settings:
            command += ["-s", setting]
        if stop_after is not None:
            command += ["--stop-after", str(stop_after)]
        if self.seed is not None:
            command += ["--seed", str(self.seed)]
        if self.project is not None and not is_script(self.recipe):
            command += ["--project", str(self.project)]
            command += ["--data-root", str(self.data_root)] if self.data_root is not None else []
        return command + (["--", *self.arguments] if self.arguments else [])


def making_of_recipe(recipe: str, settings: Sequence[str] = (), arguments: Sequence[str] = ()) -> Making:
    """Return how a RECIPE is trained: a script where it is now, since its own paths may depend on it."""
    if is_built_in(recipe):
        return Making(recipe, tuple(settings), project=project_root(Path.cwd()))
    path = Path(recipe).absolute()
    if is_script(recipe):
        return Making(str(path), tuple(settings), tuple(arguments), cwd=Path.cwd())
    return Making(str(path), tuple(settings), project=project_root(path))


def making_of_run(record: RunRecord, *, trust: bool = False) -> Making:
    """Return how a recorded run is made again, from its own settings and its own code.

    Raises CodeIsLost SR-VERIFY-004 where that code is neither here nor whole in its snapshot (a secret was left out),
    RefusedError SR-VERIFY-003 where its snapshot is not the code that is here and is not trusted, and what `origin_of`
    raises.
    """
    origin = origin_of(record, trust=trust)
    snapshot = _other_code(record, origin.root)
    whole = _recorded_code(record, origin.root) if snapshot else {}
    if snapshot and not trust:
        raise RefusedError(
            "SR-VERIFY-003",
            f"{record.name} was made by other code than what is here",
            evidence=[f"its snapshot has another {label}" for label in sorted(snapshot)[:5]],
            do="add --trust to run the code of its snapshot, or verify the run where that code is",
        )
    seed = int(record.manifest.seed)
    if origin.script is not None:
        arguments = record.manifest.entry.argv
        return Making(str(origin.script), (), arguments, project=origin.root, cwd=Path.cwd(), seed=seed, snapshot=whole)
    config = config_of(record, (), origin.root)
    document = json.dumps(dict(config.plain), indent=2, ensure_ascii=False).encode()
    return Making("recipe.json", project=origin.root, seed=seed, document=document, snapshot=whole)


def _other_code(record: RunRecord, root: Path) -> list[str]:
    """List the user's files that are not here with the same bytes."""
    return [label for label, file in _user_files(record) if not _is_here(place_of(label, root), file["content"])]


def _user_files(record: RunRecord) -> list[tuple[str, Mapping[str, Any]]]:
    """List the user's files of a record: path in the project, and what source.json says of it."""
    files_by_name = read_source(record.folder)["files"]
    return [
        (name.removeprefix(USER_PLACE), files_by_name[name])
        for name in sorted(files_by_name)
        if name.startswith(USER_PLACE)
    ]


def _is_here(path: Path | None, digest: str) -> bool:
    return path is not None and sha256(path.read_bytes()) == digest


def _recorded_code(record: RunRecord, root: Path) -> dict[str, bytes]:
    """Return the user's files with the very bytes that made the run: what is here, else what the snapshot holds.

    A file that was stored without a secret is other code: running it would prove nothing about the run.
    """
    stored = read_snapshot(record.folder)
    whole: dict[str, bytes] = {}
    lost: list[str] = []
    for label, file in _user_files(record):
        digest, kept, here = str(file["content"]), stored.get(USER_PLACE + label), place_of(label, root)
        if here is not None and _is_here(here, digest):
            whole[label] = here.read_bytes()
        elif kept is not None and sha256(kept) == digest:
            whole[label] = kept
        else:
            lost.append(f"{label}: {_why_lost(file)}")
    if lost:
        raise CodeIsLost(
            "SR-VERIFY-004",
            f"the code that made {record.name} is not here, and its snapshot does not hold it as it was",
            evidence=lost,
            do="verify the run where its code is",
        )
    return whole


def _why_lost(file: Mapping[str, Any]) -> str:
    if file["num_redacted"]:
        return f"stored without {plural(file['num_redacted'], 'secret')} that stood in it"
    return "stored with other bytes" if file["is_stored"] else "not stored"
