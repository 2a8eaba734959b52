"""The command line itself: lazy, and every way out has an exit code and four parts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from samerun.cli.main import internal_error, missing_package, run
from samerun.cli.verbs import VERBS

SAMERUN = [sys.executable, "-m", "samerun"]


def test_the_help_names_every_verb_in_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for verb, line in VERBS.items():
        assert any(text.split() == [verb, *line.split()] for text in lines), verb


def test_no_arguments_print_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    assert "Verbs:" in capsys.readouterr().out


def test_the_help_imports_no_verb_and_nothing_heavy() -> None:
    code = (
        "import sys; from samerun.cli.main import run; run(['--help']);"
        "heavy = {'torch', 'numpy', 'pydantic', 'rich', 'ruamel', 'safetensors', 'importlib.metadata'};"
        "verbs = {f'samerun.cli.{v}' for v in __import__('samerun.cli.verbs').cli.verbs.VERBS};"
        "sys.exit(', '.join(sorted((heavy | verbs) & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_unknown_verb_is_refused_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trian", "x"]) == 2
    text = capsys.readouterr().err
    assert text.startswith("error SR-CLI-001: there is no verb 'trian'")
    assert "  do: samerun train --help" in text


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--color", "blue"], "SR-CLI-004"),
        (["--jsn"], "SR-CLI-002"),
        (["ls", "--jsn"], "SR-CLI-002"),
        (["show"], "SR-CLI-003"),
        (["ls", "superfluous"], "SR-CLI-002"),
    ],
)
def test_wrong_usage_is_one_error_of_four_parts(
    arguments: list[str], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*arguments, "--json"]) == 2
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert list(document) == ["schema", "error", "exit", "kind"]
    assert document["schema"] == "samerun.error/1"
    assert document["error"]["code"] == code
    assert list(document["error"]) == ["code", "what", "evidence", "do"]
    assert (document["exit"], document["kind"]) == (2, "UsageError")
    assert "Traceback" not in captured.err


def test_json_after_two_dashes_belongs_to_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trian", "--", "--json"]) == 2
    assert capsys.readouterr().out == ""


def test_a_missing_package_names_the_extra() -> None:
    error = missing_package(ModuleNotFoundError("no torch", name="torch.nn"))
    assert (error.code, error.do, int(error.exit_code)) == ("SR-CLI-005", "pip install 'samerun[torch]'", 4)


def test_a_missing_module_that_is_no_extra_is_a_bug() -> None:
    assert int(missing_package(ModuleNotFoundError("no x", name="x")).exit_code) == 70


def test_an_internal_error_keeps_its_cause() -> None:
    cause = ValueError("7")
    assert internal_error(cause).__cause__ is cause


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("samerun ")


def test_a_reader_that_leaves_early_gets_no_traceback() -> None:
    process = subprocess.Popen([*SAMERUN, "streams"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    message = process.stderr.read()
    process.stderr.close()
    assert process.wait() in (0, -signal.SIGPIPE)
    assert message == b""


def test_a_name_that_the_terminal_cannot_show_is_escaped() -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*SAMERUN, "show", "r\u00fcn"], env=environment, capture_output=True)
    assert done.returncode == 5
    assert b"no run matches 'r\\u" in done.stderr and b"Traceback" not in done.stderr
