"""Promise 7: an identity setting moves the id, an aside one moves nothing; source counts by meaning."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from promise_lab import Lab, content, only_run

from samerun.config.layers import resolve
from samerun.config.resolved import Config
from samerun.errors import SamerunError
from samerun.record.identity import Identity
from samerun.run.facts import loop_facts
from samerun.trainers.opening import recipe_facts

HORIZON = "horizon_steps=1000"
"""Fixed here: left unset it becomes `steps` at the first start, and is identity."""
RECIPES = ("digits", "digits-cnn", "text-gpt")
OTHER_TEXT = {
    "tier": ["fast"],
    "checkpoint.every": ["7"],
    "checkpoint.best.better": ["lower", "higher"],
    "checkpoint.best.metric": ["evaluate/loss"],
    "trail.state_every": ["2"],
    "threads": ["2"],
    "device": [],  # there may be no other
    "trainer": [],  # there is no other yet
    "mixed_precision": ["bf16"],
    "task.path": [],  # its content counts, as an input
    "name": ["other"],
}
"""Other legal values of settings that are text; an empty list says why there is none to try."""


def other_values(path: str, value: Any) -> list[str]:
    """Return settings that may be legal and differ, most likely first."""
    if path.split(".")[-1] == "kind":
        return []  # another part, with a table of its own
    if path in OTHER_TEXT:
        return OTHER_TEXT[path]
    if isinstance(value, bool):
        return ["false" if value else "true"]
    if isinstance(value, int):
        return [str(value + 1), str(value * 2), str(max(1, value // 2)), "null"]
    if isinstance(value, float):
        return [repr(value * 0.5 + 0.015625), repr(value + 0.25), "null"]
    if value is None:
        return ["3", "0.5", "x", "{}", "{decay: 0.9}", "{metric: evaluate/loss}"]
    return ["x", "[3, 5]", "[0.5, 0.75]", "[]", "[[0.5, 0.75]]"]


def leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(tree, dict) and tree:
        for key, value in tree.items():
            yield from leaves(value, f"{path}.{key}" if path else key)
    else:
        yield path, tree


def identity_of(config: Config) -> Identity:
    facts, _ = recipe_facts(config, Path.cwd())
    return facts.identity(facts.seed or 0)


def flipped(recipe: str, path: str, value: Any) -> tuple[str, Config] | None:
    """Resolve the recipe with one setting changed; `None` where no other legal value was found."""
    for text in other_values(path, value):
        try:
            config = resolve(recipe, [HORIZON, f"{path}={text}"])
        except SamerunError:
            continue
        if dict(leaves(dict(config.plain))).get(path) != value:
            return f"{path}={text}", config
    return None


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_setting_flipped_once_moves_the_id_or_is_aside(recipe: str) -> None:
    before = resolve(recipe, [HORIZON])
    base, tried = identity_of(before), []
    for path, value in leaves(dict(before.plain)):
        found = flipped(recipe, path, value)
        if found is None:
            continue
        setting, after = found
        tried.append(path)
        group = next((at.group for leaf, at in after.standings.items() if leaf.startswith(path)), "aside")
        is_moved = identity_of(after).id != base.id
        assert is_moved == (group != "aside"), f"{setting}: group {group}, id moved: {is_moved}"
    assert len(tried) >= 20


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("recipe", ["digits", "text-gpt"])
def test_an_aside_setting_moves_no_digest_and_an_identity_one_has_a_witness(
    here: Lab, tmp_path: Path, recipe: str
) -> None:
    before = resolve(recipe, [HORIZON])
    usual = [HORIZON, "steps=6", "evaluate.every=2", "checkpoint.every=3"]
    base = here.done("recipe", tmp_path / "base", recipe=recipe, settings=usual)
    without_witness = []
    for number, (path, value) in enumerate(leaves(dict(before.plain))):
        found = None if path in ("seed", "steps", "tier", "threads") else flipped(recipe, path, value)
        if found is None:
            continue
        setting, after = found
        group = next((at.group for leaf, at in after.standings.items() if leaf.startswith(path)), "aside")
        runs = tmp_path / str(number)
        code = here.run("recipe", runs, recipe=recipe, settings=[*usual, setting])
        if code != 0:
            assert group != "aside" or path == "init", f"{setting}: exit {code}\n{here.words}"
            continue
        is_same = content(only_run(runs))["leaves"] == base["leaves"]
        if group == "aside":
            assert is_same, f"{setting} is aside and moved a digest"
        elif is_same:
            without_witness.append(setting)
    assert len(without_witness) <= 8, f"identity settings without a witness in {recipe}: {without_witness}"


SCRIPT = '''"""A script."""
import other

def learn(x):
    """Docs."""
    return x + other.STEP  # a comment
'''
CHANGES = {
    "a comment": ("# a comment", "# another"),
    "a docstring": ('"""Docs."""', '"""Other docs."""'),
    "layout": ("return x + other.STEP", "return (\n        x + other.STEP\n    )"),
}


def script_identity(folder: Path) -> str:
    from samerun.config.bind import bind

    facts, _ = loop_facts(bind({}), folder / "train.py", 7, "exact", (), "auto", "cpu")
    return facts.identity(7).id


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "other.py").write_text("STEP = 1\n")
    return tmp_path


@pytest.mark.parametrize("change", CHANGES)
def test_what_means_the_same_keeps_the_id(project: Path, change: str) -> None:
    before = script_identity(project)
    (project / "train.py").write_text(SCRIPT.replace(*CHANGES[change]))
    assert script_identity(project) == before


def test_a_changed_operator_and_a_changed_import_move_the_id(project: Path) -> None:
    before = script_identity(project)
    (project / "train.py").write_text(SCRIPT.replace("x + other", "x - other"))
    changed = script_identity(project)
    (project / "train.py").write_text(SCRIPT)
    (project / "other.py").write_text("STEP = 2\n")
    assert len({before, changed, script_identity(project)}) == 3
