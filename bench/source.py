"""What recording the source adds to the start of `digits`, in a clean and in a dirty repository of 2,000 files."""

from __future__ import annotations

import itertools
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from measure import Figure, human, seconds

FILES = 2000
ROUNDS = 9
LIMIT_SECONDS = 0.5


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "project"
        _make_repository(root)
        clean = _figure("recording a start of `digits`, clean", root, Path(place) / "clean")
        _make_dirty(root)
        return [clean, _figure("recording a start of `digits`, dirty", root, Path(place) / "dirty")]


def _figure(name: str, root: Path, target: Path) -> Figure:
    record = _recording(root, target)
    record()
    status = ["git", "status", "--porcelain", "-z"]
    pairs = [
        (seconds(record), seconds(lambda: subprocess.run(status, cwd=root, check=True, capture_output=True)))
        for _ in range(ROUNDS)
    ]
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    note = f"a repository of {FILES} files; seconds of gathering, capturing and writing, median of {ROUNDS}"
    is_met = ours <= LIMIT_SECONDS
    return Figure(name, human(ours), f"{human(theirs)} (git status)", ours, "<= 0.5 s", is_met, note)


def _recording(root: Path, target: Path) -> Callable[[], object]:
    """Return what a start does for the record of its source and surroundings, each time into a new folder."""
    from samerun.config.layers import resolve
    from samerun.record.capture import capture
    from samerun.record.environment import write_environment
    from samerun.record.source_document import write_source
    from samerun.trainers.opening import recipe_source

    config, numbers = resolve("digits", [], project=root), itertools.count()

    def record() -> None:
        folder = target / str(next(numbers))
        folder.mkdir(parents=True)
        source = recipe_source(config, root)
        write_source(folder, source, capture(source, root / "runs"))
        write_environment(folder, root)

    return record


def _make_repository(root: Path) -> None:
    for number in range(FILES):
        path = root / f"package_{number % 40}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"NUMBER = {number}\n" + "# a line of forty characters, or nearly so\n" * 25)
    _git(root, "init", "-q")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "all")


def _make_dirty(root: Path) -> None:
    """Change fifty files, and put two hundred beside them that git does not know."""
    for path in sorted(root.rglob("*.py"))[::40]:
        path.write_text(path.read_text() + "CHANGED = 1\n")
    (root / "data").mkdir()
    for number in range(200):
        (root / "data" / f"{number}.csv").write_text("1,2,3\n" * 200)


def _git(root: Path, *arguments: str) -> None:
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    who = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True, env=environ)
