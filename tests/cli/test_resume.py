"""`samerun resume`: from the newest checkpoint, with the run's own settings and code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from samerun.base.sealed import write_sealed

TINY = ("-s", "steps=4", "-s", "schedule.kind=constant", "-s", "model.hidden=[8]")


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    """A copy of the runs that a test may change."""
    place = tmp_path / "project"
    shutil.copytree(made, place)
    return place


def folder(project: Path, name: str) -> Path:
    (found,) = (project / "runs").glob(f"{name}-*")
    return found


def test_a_resumed_run_is_the_run_that_was_never_stopped(samerun: Any, made: Path) -> None:
    done = samerun("diff", "first", "second", "--json", cwd=made)
    assert (done.code, done.document["verdict"]) == (0, "same")
    assert done.document["steps_compared"] == 6


def test_only_aside_settings_may_change(samerun: Any, project: Path) -> None:
    shorter = samerun("resume", "first", "-s", "steps=2", "--json", cwd=project)
    assert (shorter.code, shorter.error["code"]) == (3, "SR-RESUME-006")
    longer = samerun("resume", "first", "-s", "steps=7", "--json", cwd=project)
    assert longer.code == 0, longer.err
    assert longer.document["schema"] == "samerun.resume/1"
    assert (longer.document["step"], longer.document["status"]) == (7, "completed")
    refused = samerun("resume", "first", "-s", "batch_size=3", "--json", cwd=project)
    assert refused.code == 3
    assert "batch_size" in refused.error["what"] and "new run" in refused.error["do"]


def test_a_completed_run_has_nothing_left_to_do(samerun: Any, project: Path) -> None:
    before = (folder(project, "second") / "metrics.jsonl").read_bytes()
    done = samerun("resume", "second", "--json", cwd=project)
    assert (done.code, done.document["step"]) == (0, 6)
    assert (folder(project, "second") / "metrics.jsonl").read_bytes() == before


def test_a_script_is_started_again_with_its_own_arguments(samerun: Any, project: Path) -> None:
    command = ("train", "loop.py", "--name", "again", "--stop-after", "3", "-q", "--", "--rate", "0.4")
    assert samerun(*command, cwd=project).code == 75
    done = samerun("resume", "again", "--json", cwd=project)
    assert (done.code, done.document["step"]) == (0, 8), done.err
    config = json.loads((folder(project, "again") / "config.json").read_bytes())
    assert config["values"] == {"rate": 0.4}


def test_a_script_that_is_gone_is_missed(samerun: Any, project: Path) -> None:
    (project / "loop.py").rename(project / "other.py")
    write_sealed(folder(project, "script") / "local.json", {"root": str(project)})
    done = samerun("resume", "script", "--json", cwd=project)
    assert (done.code, done.error["code"]) == (4, "SR-RESUME-002")


def test_a_run_without_its_local_file_came_from_elsewhere(samerun: Any, project: Path) -> None:
    (folder(project, "script") / "local.json").unlink()
    done = samerun("resume", "script", "--json", cwd=project)
    assert (done.code, done.error["code"]) == (3, "SR-RESUME-004")
    assert samerun("resume", "script", "--trust", cwd=project).code == 0


def test_code_outside_the_project_needs_trust(samerun: Any, project: Path, made: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "pyproject.toml").touch()
    shutil.copytree(folder(made, "script"), away / "runs" / folder(made, "script").name)
    done = samerun("resume", "script", "--json", cwd=away)
    assert (done.code, done.error["code"]) == (3, "SR-RESUME-004")
    assert samerun("resume", "script", "--json", "--trust", "--dry-run", cwd=away).code == 0


def test_a_changed_script_is_refused_with_what_moved(samerun: Any, project: Path) -> None:
    text = (project / "loop.py").read_text()
    (project / "loop.py").write_text(text.replace("momentum=0.9", "momentum=0.8"))
    done = samerun("resume", "script", "--json", cwd=project)
    assert done.code == 3
    assert "loop.py" in " ".join(done.error["evidence"]) and "--allow-drift source" in done.error["do"]


def test_a_damaged_newest_checkpoint_needs_fallback(samerun: Any, project: Path) -> None:
    run = folder(project, "first")
    newest = run / "checkpoints/step-00000006/model.safetensors"
    damaged = bytearray(newest.read_bytes())
    damaged[-1] ^= 1
    newest.write_bytes(damaged)
    refused = samerun("resume", "first", "--json", cwd=project)
    assert refused.code == 6
    assert "model.safetensors" in refused.error["what"]
    done = samerun("resume", "first", "--fallback", "--json", cwd=project)
    assert (done.code, done.document["step"]) == (0, 6), done.err
    assert samerun("diff", "first", "second", "--json", cwd=project).code == 0


def test_a_dry_run_says_from_where_and_changes_nothing(samerun: Any, project: Path) -> None:
    before = (folder(project, "first") / "manifest.json").read_bytes()
    done = samerun("resume", "first", "--dry-run", "--json", cwd=project)
    assert (done.code, done.document["from_step"]) == (0, 6)
    assert (folder(project, "first") / "manifest.json").read_bytes() == before


def test_a_run_that_is_not_there_is_no_match(samerun: Any, made: Path) -> None:
    done = samerun("resume", "frist", "--json", cwd=made)
    assert done.code == 5
    assert "first" in " ".join(done.error["evidence"])


def test_a_half_deleted_run_is_damage(samerun: Any, project: Path) -> None:
    (folder(project, "first") / "config.json").unlink()
    done = samerun("resume", "first", "--json", cwd=project)
    assert done.code == 6
    assert "config.json" in done.error["what"]
