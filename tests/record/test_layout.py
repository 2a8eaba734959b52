"""Names of run folders: safe everywhere, readable in one way, and never shared by two starts."""

import subprocess
import sys
from pathlib import Path

import pytest

from samerun.errors import UsageError
from samerun.record import layout

ID8 = "0123abcd"


@pytest.mark.parametrize("name", ["a", "mnist-mlp", "A.b_c-1", "x" * 100, "12", "lr1e-4", "run-deadbeef", "console"])
def test_a_plain_name_is_taken(name: str) -> None:
    assert layout.check_name(name) == name
    assert layout.split_folder_name(layout.folder_name(name, ID8, 12)) == (name, ID8, 12)


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "a/b", "a\\b", "/abs", "C:\\x", "C:x", "-x", ".x", "a b", "a\n", "a\0b", "é", "x" * 101,
     "a.", "con", "NUL", "com1.txt", "@last", "a*", "~root", "a:b"],
)  # fmt: skip
def test_a_name_that_is_unsafe_somewhere_is_refused_with_a_reason(name: str) -> None:
    with pytest.raises(UsageError, match="SR-RECORD-001") as caught:
        layout.check_name(name)
    assert "cannot be a name:" in caught.value.what


def test_the_way_out_of_a_bad_name_is_the_callers_word(tmp_path: Path) -> None:
    for call, part in (
        (lambda: layout.check_name("a/b"), "samerun train RECIPE --name NAME"),
        (lambda: layout.check_name("a/b", "choose another"), "choose another"),
        (lambda: layout.evaluation_file(tmp_path, "a/b"), "samerun evaluate RUN --tag TAG"),
    ):
        with pytest.raises(UsageError, match="SR-RECORD-001") as caught:
            call()
        assert part in caught.value.do


def test_no_folder_name_can_be_read_in_two_ways() -> None:
    assert layout.split_folder_name("a-deadbeef-12345678") == ("a-deadbeef", "12345678", 1)
    assert layout.split_folder_name("a-deadbeef-123456") == ("a", "deadbeef", 123456)
    for other in ("a", "a-deadbee", "a-DEADBEEF", "a-deadbeef-0", "-deadbeef", "a-deadbeef-01"):
        assert layout.split_folder_name(other) is None


def test_a_fresh_run_gets_the_next_number(tmp_path: Path) -> None:
    names = [layout.create_run_folder(tmp_path / "runs", "a", ID8, True).name for _ in range(3)]
    assert names == ["a-0123abcd", "a-0123abcd-2", "a-0123abcd-3"]


def test_a_number_is_not_given_again_when_an_older_folder_is_gone(tmp_path: Path) -> None:
    folders = [layout.create_run_folder(tmp_path, "a", ID8, True) for _ in range(3)]
    folders[1].rmdir()
    assert layout.create_run_folder(tmp_path, "a", ID8, True).name == "a-0123abcd-4"


def test_numbers_are_ordered_as_numbers(tmp_path: Path) -> None:
    for number in range(1, 12):
        (tmp_path / layout.folder_name("a", ID8, number)).mkdir()
    assert layout.create_run_folder(tmp_path, "a", ID8, False).name == "a-0123abcd-11"
    assert layout.create_run_folder(tmp_path, "a", ID8, True).name == "a-0123abcd-12"


def test_a_repeated_start_gets_the_folder_that_is_there(tmp_path: Path) -> None:
    first = layout.create_run_folder(tmp_path, "a", ID8, False)
    assert layout.create_run_folder(tmp_path, "a", ID8, False) == first
    assert layout.create_run_folder(tmp_path, "b", ID8, False) != first
    assert layout.create_run_folder(tmp_path, "a", "ffffffff", False) != first


CREATE = """
import sys, time
from pathlib import Path
from samerun.record.layout import create_run_folder
while time.time() < float(sys.argv[2]): pass
for _ in range(10):
    print(create_run_folder(Path(sys.argv[1]), "a", "0123abcd", sys.argv[3] == "new").name)
"""


@pytest.mark.parametrize("mode", ["new", "same"])
def test_fifty_starts_in_one_instant_do_not_collide(tmp_path: Path, mode: str) -> None:
    begin = subprocess.run(
        [sys.executable, "-c", "import time; print(time.time() + 0.6)"], capture_output=True, text=True
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CREATE, str(tmp_path / "runs"), begin.stdout.strip(), mode],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(5)
    ]
    names = [name for child in children for name in child.communicate(timeout=60)[0].split()]
    assert len(names) == 50
    assert len(set(names)) == (50 if mode == "new" else 1)


def test_parts_of_a_log_are_listed_by_number(tmp_path: Path) -> None:
    for name in ("metrics.jsonl", "metrics.0010.jsonl", "metrics.0002.jsonl", "metrics.2.jsonl", "trail.0001.jsonl"):
        (tmp_path / name).touch()
    assert layout.log_parts(tmp_path, "metrics") == [0, 2, 10]
    assert layout.log_parts(tmp_path, "trail") == [1]


@pytest.mark.parametrize(
    ("suffix", "name"), [(".yaml", "yaml"), ("toml", "toml"), ("", "txt"), ("../x", "txt"), (".YAML", "txt")]
)
def test_the_submitted_recipe_keeps_a_plain_suffix(suffix: str, name: str) -> None:
    assert layout.submitted_name(suffix) == f"recipe.submitted.{name}"
