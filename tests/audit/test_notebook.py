"""Notebooks: code cells in order, with what only IPython reads left out."""

from __future__ import annotations

import json

import pytest

from samerun.audit.notebook import Place, notebook, python_lines
from samerun.audit.source import Unreadable


def book(*cells: object, **metadata: object) -> bytes:
    listed = [{"cell_type": "code", "source": cell} for cell in cells]
    return json.dumps({"cells": listed, "metadata": metadata, "nbformat": 4}).encode()


def test_cells_follow_each_other_and_lines_keep_their_place() -> None:
    read = notebook(book("import random\n", ["x = 1\n", "random.seed(x)"]))
    assert read.text.splitlines() == ["import random", "", "x = 1", "random.seed(x)"]
    assert read.places[3] == Place(2, 2)


def test_only_code_cells_count() -> None:
    cells = [{"cell_type": "markdown", "source": "random.seed()"}, {"cell_type": "code", "source": "x"}]
    assert notebook(json.dumps({"cells": cells}).encode()).text == "x"


def test_the_older_format_is_read() -> None:
    sheet = {"cells": [{"cell_type": "code", "input": ["x = 1"]}]}
    assert notebook(json.dumps({"worksheets": [sheet]}).encode()).text == "x = 1"


@pytest.mark.parametrize(
    ("cell", "lines"),
    [
        ("%matplotlib inline\nx = 1", ["pass", "x = 1"]),
        ("!pip install x", ["pass"]),
        ("if a:\n    !ls", ["if a:", "    pass"]),
        ("files = !ls", ["files = None"]),
        ("a, b = %timeit -o f()", ["a, b = None"]),
        ("%%time\nx = 1", ["", "x = 1"]),
        ("%%bash\nrm x", ["", ""]),
        ("np.zeros?", ["pass"]),
        ("?np.zeros", ["pass"]),
        ("x = 5 \\\n% 3", ["x = 5 \\", "% 3"]),
        ("await f()", ["await f()"]),
    ],
)
def test_magics_are_left_out_and_lines_stay(cell: str, lines: list[str]) -> None:
    assert python_lines(cell) == lines


def test_a_cell_that_is_no_python_is_named_and_the_others_are_read() -> None:
    read = notebook(book("x = (", "y = 1"))
    assert [place.cell for place, _ in read.unread] == [1]
    assert read.text.splitlines() == ["", "y = 1"]


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"a": 1}', b"\xff"])
def test_what_is_no_notebook_says_so(data: bytes) -> None:
    with pytest.raises(Unreadable):
        notebook(data)


def test_another_language_is_named() -> None:
    with pytest.raises(Unreadable, match="julia"):
        notebook(book("x", language_info={"name": "julia"}))


@pytest.mark.parametrize("cells", [None, 3, [3, None, {"cell_type": "code", "source": None}]])
def test_odd_cells_are_survived(cells: object) -> None:
    notebook(json.dumps({"cells": cells}).encode())
