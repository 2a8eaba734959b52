"""What a dry run finds out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from samerun.record.manifest import Entry
from samerun.rerun.reproducing.choice import choose
from samerun.rerun.reproducing.preview import preview


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
