"""What a word on the command line means where both a RECIPE and a RUN may stand.

A recipe: a file with the ending of one, a Python script, or the name of a built-in recipe. Anything else is a RUN, to
be found by find.py; a run that is called like a built-in recipe is meant by its folder, its identity or `@last`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import samerun
from samerun.record import layout
from samerun.record.manifest import Entry

RECIPE_SUFFIXES: Final = (".yaml", ".yml", ".toml", ".json")
SCRIPT_SUFFIX: Final = ".py"


def is_script(text: str) -> bool:
    """Say whether a RECIPE is a Python script."""
    return text.endswith(SCRIPT_SUFFIX)


def is_recipe(text: str) -> bool:
    """Say whether `text` names a recipe or a script rather than a run."""
    if (Path(text) / layout.MANIFEST).is_file():
        return False
    if text.endswith((*RECIPE_SUFFIXES, SCRIPT_SUFFIX)):
        return True
    return is_built_in(text)


def train_anew(entry: Entry) -> str:
    """Give the command that begins a run of its own from what a run was made of."""
    if entry.kind == "loop":
        return "samerun.start(..., new=True)"
    path = entry.path or ""
    if not path or not Path(path).is_file():
        name = path.removesuffix(RECIPE_SUFFIXES[0])
        path = name if name != path and is_built_in(name) else "RECIPE"
    return f"samerun train {path} --new"


def is_built_in(text: str) -> bool:
    """Say whether `text` is the name of a recipe inside the package."""
    assert samerun.__file__ is not None
    has_folder = "/" in text or text.startswith(".")
    return not has_folder and (Path(samerun.__file__).parent / "recipes" / f"{text}.yaml").is_file()
