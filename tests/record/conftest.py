"""A small log, and a whole run folder with one file of every kind, written with the record's own writers."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samerun.base.digest import sha256
from samerun.base.sealed import seal, write_sealed
from samerun.checkpoint.write import write_checkpoint
from samerun.record import layout
from samerun.record.environment import write_environment
from samerun.record.events import event_row
from samerun.record.identity import Identity
from samerun.record.manifest import Entry, Manifest, Status
from samerun.record.marks import Marks, write_marks
from samerun.record.metrics import metrics_row
from samerun.record.resolved import ResolvedConfig, write_config
from samerun.record.rows import LogMark, RowLog, iter_rows
from samerun.record.source import Source, SourceFile
from samerun.record.source_document import write_source
from samerun.record.trail import trail_row
from samerun.state.tree import pack

Git = Callable[..., str]


@pytest.fixture
def git(monkeypatch: pytest.MonkeyPatch) -> Git:
    """Return `git(folder, *arguments)`: the real one, under no configuration but its own."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    settings = ("user.name=a", "user.email=a@example.org", "protocol.file.allow=always", "init.defaultBranch=trunk")

    def run(folder: Path, *arguments: str | bytes, check: bool = True) -> str:
        command = ["git", *(word for text in settings for word in ("-c", text)), *arguments]
        done = subprocess.run(command, cwd=folder, check=check, capture_output=True)
        return done.stdout.decode("utf-8", "replace").strip()

    return run


@pytest.fixture
def repository(tmp_path: Path, git: Git) -> Path:
    """A project of one commit on `trunk`."""
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q")
    for name in ("staged.py", "unstaged.py", "deleted.py", "same.py"):
        (root / name).write_text("x = 1\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    return root


@pytest.fixture
def write() -> Callable[..., list[LogMark]]:
    """Write `count` rows of metrics and return the mark before each and after the last."""

    def write(folder: Path, count: int, *, part_limit: int = 10**9) -> list[LogMark]:
        log = RowLog.open(folder, "metrics", None, 1, part_limit=part_limit)
        marks = [log.mark()]
        for step in range(count):
            log.append({"step": step, "train/loss": 1 / (step + 1)})
            marks.append(log.mark())
        log.close()
        return marks

    return write


@pytest.fixture
def steps() -> Callable[..., list[int]]:
    """Read the steps of the rows of metrics."""

    def steps(folder: Path, until: LogMark | None = None) -> list[int]:
        return [row["step"] for row in iter_rows(folder, "metrics", until=until)]

    return steps


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, LogMark]]:
    """Write a run folder without a manifest, once; it is copied for each test."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    folder.mkdir()
    identity = Identity({"seed": "7"}, {})
    _write_documents(folder)
    return folder, _write_logs(folder, identity)


@pytest.fixture
def make_run(tmp_path: Path, whole_run: tuple[Path, dict[str, LogMark]]) -> Callable[..., Path]:
    """Make a run of three steps under `runs`; keywords replace fields of its manifest."""

    def make_run(name: str = "digits", seed: str = "7", *, fresh: bool = False, **manifest: Any) -> Path:
        identity = Identity({"config": {"batch_size": 64}, "seed": seed}, {"torch": "2.13.0"})
        folder = layout.create_run_folder(tmp_path / "runs", name, identity.id8, fresh)
        shutil.copytree(whole_run[0], folder, dirs_exist_ok=True)
        (folder / layout.IDENTITY).write_bytes(seal(identity.as_document()))
        when = "2026-01-01T00:00:00.000Z"
        written = Manifest(
            name=name,
            identity=identity.id,
            opening=identity.id,
            entry=Entry("recipe", (), "digits.yaml"),
            created=when,
            updated=when,
            status=Status.COMPLETED,
            step=3,
            steps=3,
            seed=seed,
            logs=whole_run[1],
        )
        (folder / layout.MANIFEST).write_bytes(seal(replace(written, **manifest).as_document()))
        return folder

    return make_run


def _write_documents(folder: Path) -> None:
    submitted = b"batch_size: 64\n"
    digest = sha256(submitted)
    config = ResolvedConfig({"batch_size": 64}, {}, {}, "sha256:0", layout.submitted_name("yaml"), digest)
    write_config(folder, config, submitted)
    text = b"width = 3\n"
    cell = SourceFile("user", "net.py", "python", sha256(text), sha256(text), len(text), text=text)
    write_source(folder, Source(folder, (cell,)))
    write_environment(folder, folder)
    for name in (layout.DATA, layout.DRIFT, layout.VERIFICATION, layout.LOCAL):
        write_sealed(folder / name, {"schema": f"samerun.{name.removesuffix('.json')}", "format": 1, "checks": []})
    write_marks(folder, Marks().with_note("good").with_tag("kept").with_pin(3))
    (folder / layout.EVALUATIONS).mkdir()
    write_sealed(layout.evaluation_file(folder, "test"), {"schema": "samerun.evaluation", "format": 1, "metrics": {}})


def _write_logs(folder: Path, identity: Identity) -> dict[str, LogMark]:
    """Write four rows, resume from a checkpoint after three, so that attempts/ holds a tail."""
    names = (layout.METRICS, layout.TRAIL, layout.EVENTS)
    logs = {name: RowLog.open(folder, name, None, 1, part_limit=600) for name in names}
    logs[layout.HOOKS_DONE] = RowLog.open(folder, layout.HOOKS_DONE, None, 1)
    logs[layout.HOOKS_DONE].append({"name": "upload", "step": 3})
    for step in range(4):
        if step == 3:
            marks = {name: logs[name].mark() for name in names}
            state = {"model": pack({"weight": np.arange(6.0).reshape(2, 3)}), "values": pack({"seen": step})}
            stored = {name: mark.as_json() for name, mark in marks.items()}
            write_checkpoint(folder / layout.CHECKPOINTS, step, state, identity=identity.id, logs=stored)
        logs[layout.METRICS].append(metrics_row(step, "xxh3:0", {"train/loss": 1 / (step + 1), "time/s": 0.5}))
        row = trail_row(
            step, batch="xxh3:1", streams={"data": 1}, ambient="ff", loss="xxh3:2", state={"model": "xxh3:3"}
        )
        logs[layout.TRAIL].append(row)
        logs[layout.EVENTS].append(event_row("note", attempt=1, step=step))
    for log in logs.values():
        log.close()
    for name in names:
        RowLog.open(folder, name, marks[name], 2, part_limit=600).close()
    return {**marks, layout.HOOKS_DONE: logs[layout.HOOKS_DONE].mark()}
