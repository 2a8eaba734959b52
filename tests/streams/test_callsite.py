"""Where a call came from: what is reported, and what is nobody's business."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from samerun.streams.callsite import Site, find_site, is_own_doing

CALLER = "def call(look):\n    return look()\n"
NUMPY = ("/lib/numpy/random.py", "numpy.random")
PACKAGE = ("/venv/lib/python3/site-packages/gym/seeding.py", "gym.seeding")


def seen(root: Path, *places: tuple[str, str]) -> Site | None:
    """Return the site of a call that went through these files of these modules, the outermost first."""
    found: Site | None = through(places, partial(find_site, root))
    return found


def through(places: Sequence[tuple[str, str]], look: Any) -> Any:
    for file, name in reversed(places):
        space: dict[str, Any] = {"__name__": name}
        exec(compile(CALLER, file, "exec"), space)
        look = partial(space["call"], look)
    return look()


def test_a_file_of_the_project_is_shown_below_its_root(tmp_path: Path) -> None:
    found = seen(tmp_path, (str(tmp_path / "lab" / "train.py"), "lab.train"), NUMPY)
    assert found == Site("lab/train.py", 2, "call", is_project=True)


def test_a_package_is_shown_with_the_line_of_the_project_that_led_to_it(tmp_path: Path) -> None:
    found = seen(tmp_path, (str(tmp_path / "train.py"), "__main__"), PACKAGE, NUMPY)
    assert found == Site("gym/seeding.py", 2, "call", is_project=False, through="train.py:2 in call")


def test_what_a_package_does_while_it_is_imported_has_no_site(tmp_path: Path) -> None:
    importing = ("<frozen importlib._bootstrap>", "importlib._bootstrap")
    assert seen(tmp_path, (str(tmp_path / "train.py"), "__main__"), importing, PACKAGE, NUMPY) is None


@pytest.mark.parametrize(
    "place",
    [(str(tempfile.__file__), "tempfile"), ("/anywhere/samerun/run/settle.py", "samerun.run.settle")],
    ids=["the standard library", "samerun"],
)
def test_neither_the_standard_library_nor_samerun_has_a_site(place: tuple[str, str], tmp_path: Path) -> None:
    assert seen(tmp_path, (str(tmp_path / "train.py"), "__main__"), place, NUMPY) is None


def test_a_cell_is_the_users_and_generated_code_is_nobodys(tmp_path: Path) -> None:
    cell = seen(tmp_path, ("<ipython-input-3-abc>", "__main__"), NUMPY)
    assert cell is not None and cell.file == "<ipython-input-3-abc>"
    found = seen(tmp_path, (str(tmp_path / "train.py"), "__main__"), ("<string>", "lab.config"), NUMPY)
    assert found is not None and found.file == "train.py"


def test_a_file_outside_the_project_is_shown_by_its_name_alone(tmp_path: Path) -> None:
    found = seen(tmp_path, ("/somewhere/else/train.py", "__main__"), NUMPY)
    assert found is not None and found.file == "train.py"


@pytest.mark.parametrize(
    ("asked", "is_own"),
    [(("/anywhere/samerun/data/prefetch.py", "samerun.data.prefetch"), True), (("/lab/train.py", "__main__"), False)],
)
def test_what_the_standard_library_does_is_its_callers_doing(asked: tuple[str, str], is_own: bool) -> None:
    pool = (str(Path(tempfile.__file__).parent / "concurrent" / "futures" / "thread.py"), "concurrent.futures.thread")
    assert through([("/lab/train.py", "__main__"), asked], is_own_doing) is is_own
    assert through([("/lab/train.py", "__main__"), asked, pool], is_own_doing) is is_own
