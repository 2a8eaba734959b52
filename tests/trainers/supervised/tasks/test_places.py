"""Where data lies, without torch."""

from __future__ import annotations

from pathlib import Path

from samerun.trainers.supervised.tasks.places import place_of


def test_a_path_starts_at_the_project_and_a_text_of_ours_lies_in_the_package(tmp_path: Path) -> None:
    assert place_of("a/b.csv", tmp_path) == tmp_path / "a/b.csv"
    assert place_of("/a/b.csv", tmp_path) == Path("/a/b.csv")
    assert place_of("samerun:genesis.txt", tmp_path).is_file()
