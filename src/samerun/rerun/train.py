"""The verb `train`: start what a RECIPE names, a recipe or a Python script, or go on with the run of that name.

The loop is the trainer's or the script's own; here their settings and the wishes of the command are put together.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from samerun.config.layers import resolve
from samerun.config.resolved import Config
from samerun.config.setting import Setting, parse_setting
from samerun.errors import InternalError, SamerunError, Stopped, UsageError
from samerun.record.project import project_root, runs_folder
from samerun.record.subject import is_built_in, is_script
from samerun.rerun.outcome import Outcome, outcome_of
from samerun.rerun.wishes import seconds_of, seed_of
from samerun.run.guarding import guard_around
from samerun.run.launch import LaunchOptions, launching, opened_folders

if TYPE_CHECKING:
    from samerun.run.body import BodyWatch

SCRIPT_TABLES = ("checkpoint", "trail")
"""Tables that `-s` can set for a script: aside, and the same for every loop."""


def train(
    recipe: str | Path,
    settings: Sequence[str] = (),
    *,
    name: str | None = None,
    seed: int | str | None = None,
    tier: str | None = None,
    runs: Path | None = None,
    stop_after: int | None = None,
    time_limit: str | None = None,
    new: bool = False,
    continue_only: bool = False,
    allow_dirty: bool = False,
    guard: str | None = None,
    arguments: Sequence[str] = (),
    project: Path | None = None,
    data_root: Path | None = None,
    quiet: bool = False,
    watch: BodyWatch | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Outcome:
    """Train a recipe (a file or a built-in name) or a Python script, in this process, until it ends or stops.

    Starting again with the same name and identity goes on from the newest checkpoint; a completed run trains no step.
    `settings` are `key.path=value`; `arguments` are a script's. A stop (`stop_after`, `time_limit` or a signal) gives
    an outcome with status `stopped`. `guard` is "record" or "raise" (samerun.start); `watch` looks on at the steps;
    `say` is told what not to expect of the settings. A recipe's own parts come from `project`, relative paths of data
    start at `data_root`: both are the project around it unless given. Raises ConfigError, MissingError, LockedError,
    RefusedError (nothing to `continue_only`; a dirty tree that no record could give back).
    """
    text = str(recipe)
    options = LaunchOptions(
        name=name,
        seed=seed_of(seed),
        tier=tier,
        runs=_runs(text, runs),
        argv=tuple(arguments) if is_script(text) else None,
        stop_after=stop_after,
        time_limit_seconds=seconds_of(time_limit),
        is_new=new,
        continue_only=continue_only,
        refuses_dirty=not allow_dirty,
        is_quiet=quiet,
        guard=guard,
        watch=watch,
    )
    if is_script(text):
        return train_script(Path(text), settings, options)
    config = resolve_recipe(_alone(text, arguments), settings, options, project)
    return train_config(_told(config, say), options, project or project_root(start_of(text)), data_root)


def _runs(recipe: str, runs: Path | None) -> Path | None:
    # A script may name a folder of its own, which only `--runs` overrides.
    return runs if is_script(recipe) else runs_folder(runs, start_of(recipe))


def _told(config: Config, say: Callable[[str], None]) -> Config:
    for note in config.notes:
        say(note)
    return config


def resolve_recipe(recipe: str, settings: Sequence[str], options: LaunchOptions, project: Path | None = None) -> Config:
    """Resolve a recipe with `-s` values, `--seed` and `--tier` over it, each with its own name in messages."""
    given: list[str | Setting] = list(settings)
    if options.seed is not None:
        given.append(Setting(("seed",), options.seed, f"--seed {options.seed}"))
    if options.tier is not None:
        given.append(Setting(("tier",), options.tier, f"--tier {options.tier}"))
    if options.name is not None:
        given.append(Setting(("name",), options.name, f"--name {options.name}"))
    return resolve(recipe, given, project=project or project_root(start_of(recipe)))


def train_config(config: Config, options: LaunchOptions, project: Path, data_root: Path | None = None) -> Outcome:
    """Train a resolved config with the code of `project`; see `train` for `data_root`."""
    from samerun.trainers.recipe import train_recipe

    before = len(opened_folders())
    # A stop is no error here: the folder says that it stopped, and where.
    with guard_around(options.guard, project), suppress(Stopped):
        train_recipe(config, options, project, data_root)
    return outcome_of(opened_folders()[before:], "the recipe")


def train_script(script: Path, settings: Sequence[str], options: LaunchOptions) -> Outcome:
    """Run a Python script as `__main__` in this process, with its own arguments and the options of the command."""
    tables = script_tables(settings)
    wishes = LaunchOptions(**{**vars(options), **tables})
    before = len(opened_folders())
    guard = guard_around(options.guard, project_root(script))
    with launching(wishes), _as_main(script, options.argv or ()), guard, suppress(Stopped):
        _run(script)
    return outcome_of(opened_folders()[before:], str(script))


def _run(script: Path) -> None:
    before = len(opened_folders())
    if not script.is_file():
        raise UsageError("SR-TRAIN-004", f"there is no script {script}", do="check the path")
    try:
        runpy.run_path(str(script), run_name="__main__")
    except (SamerunError, KeyboardInterrupt):
        raise
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
        # `sys.exit(0)` at the end of a script is the end of it, not of the command that still has to answer.
    except Exception as error:
        opened = opened_folders()[before:]
        error.__traceback__ = _of_script(error.__traceback__, script)
        raise InternalError(
            "SR-TRAIN-070",
            f"{script.name} failed: {type(error).__name__}: {error}",
            evidence=["the traceback is that of the script"],
            # A corrected script is other source: started again it would be a new run.
            do=f"correct the script, then samerun resume {opened[-1].as_posix()} --allow-drift source"
            if opened
            else "correct the script and run it again",
        ) from error


def _of_script(traceback: TracebackType | None, script: Path) -> TracebackType | None:
    """Leave out the frames before the script's own; all stay where it has none (a file that cannot be parsed)."""
    own = traceback
    while own is not None and own.tb_frame.f_code.co_filename != str(script):
        own = own.tb_next
    return own or traceback


def script_tables(settings: Sequence[str]) -> dict[str, tuple[tuple[str, Any], ...]]:
    """Sort `-s` values for a script into the aside tables that every loop has. Raises UsageError SR-TRAIN-001."""
    tables: dict[str, list[tuple[str, Any]]] = {name: [] for name in SCRIPT_TABLES}
    for text in settings:
        setting = parse_setting(text)
        if len(setting.path) != 2 or setting.path[0] not in tables:
            raise UsageError(
                "SR-TRAIN-001",
                f"{setting.where}: a script has settings of its own",
                evidence=[f"what -s can set for a script: {', '.join(f'{name}.*' for name in SCRIPT_TABLES)}"],
                do="samerun train SCRIPT -- the script's own arguments",
            )
        tables[setting.path[0]].append((setting.path[1], setting.value))
    return {name: tuple(values) for name, values in tables.items() if values}


@contextmanager
def _as_main(script: Path, arguments: Sequence[str]) -> Iterator[None]:
    """Give a script the arguments and the import path that `python script.py` would."""
    argv, path = sys.argv[:], sys.path[:]
    sys.argv[:] = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))
    try:
        yield
    finally:
        sys.argv[:], sys.path[:] = argv, path


def start_of(recipe: str) -> Path:
    """Return where the project of a recipe is looked for: around its file, or here for a built-in one."""
    return Path.cwd() if is_built_in(recipe) else Path(recipe)


def _alone(recipe: str, arguments: Sequence[str]) -> str:
    """Return a recipe that stands without arguments; refuse (SR-TRAIN-002) one that has some."""
    if arguments:
        raise UsageError(
            "SR-TRAIN-002",
            f"{recipe} is a recipe: it takes no arguments",
            evidence=[f"given: {' '.join(arguments)}"],
            do="samerun train RECIPE -s key.path=value",
        )
    return recipe
