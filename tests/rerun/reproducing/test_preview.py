"""What a dry run finds out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samerun.base.sealed import write_sealed
from samerun.record import layout
from samerun.record.manifest import Entry
from samerun.record.reader import RunRecord
from samerun.rerun.reproducing.choice import choose
from samerun.rerun.reproducing.preview import preview
from samerun.rerun.reproducing.training import nothing_made


def test_files_steps_packages_and_data_are_counted(record: Any, tmp_path: Path) -> None:
    made = record(Entry("script", (), "train.py"), files={"train.py": "import samerun\n"})
    wishes = {"here": False, "offline": False, "trust": True}
    plan = preview(choose(made, fresh_environment=False, **wishes), tmp_path / "out", 4, None)
    assert (plan.num_files, plan.source_bytes, plan.steps, plan.num_distributions) == (1, 15, 4, 0)
    assert plan.data.startswith("the script is started in ")
    built = preview(choose(made, fresh_environment=True, **wishes), tmp_path / "out", None, None)
    assert built.used == "built" and built.steps == 6 and built.num_distributions > 50
    assert "samerun" in [one.name for one in built.unmatched]
    assert not (tmp_path / "out").exists()


def test_the_commands_that_give_back_the_repository_are_named(record: Any, tmp_path: Path) -> None:
    made = record(files={"train.py": "import samerun\n"})
    job = choose(made, here=True, fresh_environment=False, offline=False, trust=True)
    assert preview(job, tmp_path / "out", None, None).repository == ()
    document = made.document(layout.SOURCE)
    git = {"commit": "0" * 40, "remote": "https://host.example/a.git", "submodules": []}
    write_sealed(made.folder / layout.SOURCE, {**document, "git": git})
    job = replace(job, record=RunRecord.open(made.folder))
    plan, answer = preview(job, tmp_path / "out", None, None), nothing_made(job, "it was not tried")
    steps = ("git clone --no-checkout -- https://host.example/a.git .", f"git checkout --detach {'0' * 40} --")
    for one in (plan, answer):
        assert one.repository == steps and one.as_json()["repository"] == list(steps)
        assert [line.strip() for line in one.lines()[-2:]] == list(steps)


def test_what_is_lost_is_named_and_data_is_not_looked_for_in_the_current_folder(
    record: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = Entry("script", ("--key", "[redacted]"), "train.py")
    secret = "KEY = 'hf_abcdefghijklmnopqrstuvwxyz01234567'\n"
    made = record(entry, files={"train.py": secret}, local={"root": "/gone", "cwd": "/gone"})
    (tmp_path / "project/train.py").unlink()
    monkeypatch.chdir(tmp_path)
    job = choose(made, here=True, fresh_environment=False, offline=False, trust=True)
    plan = preview(job, tmp_path / "out", None, None)
    assert [(one.kind, one.name) for one in plan.unmatched[:2]] == [("secret", "train.py"), ("secret", "argument 2")]
    assert plan.data == f"the script is started in {tmp_path / 'out/project'}"
