"""Who called `samerun.start`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from samerun.errors import UsageError
from samerun.run.caller import caller_file, entry_of, local_paths
from samerun.run.launch import LaunchOptions

HERE = Path(__file__).resolve()


def test_the_caller_is_the_first_file_that_is_not_of_samerun() -> None:
    assert caller_file() == HERE


def test_a_prompt_has_no_file() -> None:
    space = {"caller_file": caller_file, "__name__": "__console__"}
    exec("found = caller_file()", space)
    assert space["found"] is None


@pytest.fixture
def as_main(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(HERE), raising=False)
    monkeypatch.setattr(sys, "argv", ["test.py", "--rate", "0.1"])


def test_the_main_file_is_a_script_with_its_arguments(as_main: None) -> None:
    entry = entry_of(HERE, HERE.parent, LaunchOptions())
    assert (entry.kind, entry.argv, entry.path) == ("script", ("--rate", "0.1"), "test_caller.py")


def test_arguments_given_by_a_command_win_over_those_of_the_process(as_main: None) -> None:
    assert entry_of(HERE, HERE.parent, LaunchOptions(argv=("--rate", "3"))).argv == ("--rate", "3")
    assert entry_of(HERE, HERE.parent, LaunchOptions(argv=())).argv == ()


def test_a_secret_among_the_arguments_is_not_recorded(as_main: None) -> None:
    secret = "hf_" + "Ab3dEf6hIj" * 3 + "Kl"
    entry = entry_of(HERE, HERE.parent, LaunchOptions(argv=("--api-key", "canary-71", f"--note={secret}", "--n", "3")))
    assert "canary-71" not in str(entry) and secret not in str(entry)
    assert entry.argv[0] == "--api-key" and entry.argv[3:] == ("--n", "3")


def test_a_file_that_is_not_the_main_one_is_a_loop_and_takes_no_arguments(as_main: None) -> None:
    entry = entry_of(HERE.parent / "conftest.py", HERE.parent, LaunchOptions())
    assert (entry.kind, entry.argv, entry.path) == ("loop", (), "conftest.py")
    assert entry_of(None, HERE.parent, LaunchOptions()).kind == "loop"


def test_absolute_paths_are_for_local_json_alone() -> None:
    paths = local_paths(HERE, LaunchOptions())
    assert paths["script"] == str(HERE) and paths["cwd"] == str(Path.cwd())
    assert Path(paths["root"]) in HERE.parents
    assert local_paths(None, LaunchOptions())["script"] == ""


def test_an_argument_that_no_record_can_hold_is_refused_before_a_folder_is_made(as_main: None) -> None:
    with pytest.raises(UsageError, match="SR-RUN-027") as caught:
        entry_of(HERE, HERE.parent, LaunchOptions(argv=("--data", "caf\udce9.csv")))
    assert caught.value.evidence == ("caf\\udce9.csv",)


def test_a_place_that_is_not_utf_8_is_written_out(tmp_path: Path) -> None:
    assert local_paths(tmp_path / "caf\udce9" / "train.py", LaunchOptions())["script"].endswith("caf\\udce9/train.py")
