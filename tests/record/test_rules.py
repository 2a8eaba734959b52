"""Rules name files of the project and nothing else, whatever lies in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from samerun.errors import ConfigError
from samerun.record import rules as room
from samerun.record.rules import Rules, included, rules_of


def project(root: Path, text: str, *names: str) -> Rules:
    (root / "pyproject.toml").write_text(f"[tool.samerun]\n{text}\n")
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    return rules_of(root)


def labels(root: Path, rules: Rules, skip: Path | None = None) -> list[str]:
    return [path.relative_to(root).as_posix() for path in included(root, rules, skip)[0]]


def test_a_star_stays_in_a_name_and_two_cross_folders(tmp_path: Path) -> None:
    names = ("conf/a.yaml", "conf/b.txt", "conf/deep/c.yaml", "d.yaml")
    rules = project(tmp_path, 'include = ["conf/*.yaml"]', *names)
    assert labels(tmp_path, rules) == ["conf/a.yaml"]
    assert labels(tmp_path, Rules(("**/*.yaml",))) == ["conf/a.yaml", "conf/deep/c.yaml", "d.yaml"]
    assert labels(tmp_path, Rules(("conf",))) == labels(tmp_path, Rules(("conf/**",))) == sorted(names[:3])
    assert labels(tmp_path, Rules(("**/*.yaml",), ("conf/deep", "d.*"))) == ["conf/a.yaml"]


def test_a_folder_that_is_excluded_takes_what_is_in_it_along() -> None:
    rules = Rules(exclude=("data/", "**/cache", "*.csv"))
    assert rules.excludes("data/a/b.bin") and rules.excludes("x/y/cache/z") and rules.excludes("a.csv")
    assert not rules.excludes("a/b.csv") and not rules.excludes("dat")


def test_no_rules_name_nothing(tmp_path: Path) -> None:
    assert rules_of(tmp_path) == Rules()
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert labels(tmp_path, rules_of(tmp_path)) == []


def test_a_misspelt_rule_is_refused_and_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.samerun]\nruns = 'out'\ninclud = ['conf/*.yaml']\n")
    with pytest.raises(ConfigError, match="SR-SOURCE-003") as caught:
        rules_of(tmp_path)
    assert "'includ' is no setting; did you mean 'include'?" in caught.value.evidence[0]


@pytest.mark.parametrize(
    "text", ['include = "conf"', "include = [3]", 'exclude = ["../x"]', 'include = ["/etc/*"]', 'include = [""]']
)
def test_a_rule_without_meaning_or_that_leaves_the_project_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match="SR-SOURCE-003"):
        project(tmp_path, text)


def test_links_to_folders_and_the_runs_are_not_entered(tmp_path: Path) -> None:
    rules = project(tmp_path, 'include = ["**"]', "a.txt", "runs/x/metrics.jsonl", "__pycache__/a.pyc", ".git/config")
    os.symlink(tmp_path, tmp_path / "circle")
    assert labels(tmp_path, rules, tmp_path / "runs") == ["a.txt", "circle", "pyproject.toml"]


def test_more_than_a_start_has_time_for_is_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = project(tmp_path, 'include = ["**"]', "a/1", "b/2", "c/3")
    assert included(tmp_path, rules)[1]
    monkeypatch.setattr(room, "LOOKED_AT", 3)
    assert not included(tmp_path, rules)[1]
