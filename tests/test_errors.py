"""Errors: four parts everywhere, exit codes as the contract says, and a page for each code."""

from __future__ import annotations

import copy
from multiprocessing import Pipe

import pytest

from samerun import errors
from samerun.errors import ConfigError, DamageError, ExitCode, SamerunError, Stopped, code_pages


def test_the_text_of_an_error_has_four_parts_in_order() -> None:
    error = ConfigError("SR-CONFIG-003", "unknown key 'lr'", evidence=["recipe.yaml:4", "-s lr=1"], do="remove it")
    assert str(error) == "SR-CONFIG-003: unknown key 'lr'\n  recipe.yaml:4\n  -s lr=1\ndo: remove it"
    assert error.as_json() == {
        "code": "SR-CONFIG-003",
        "what": "unknown key 'lr'",
        "evidence": ["recipe.yaml:4", "-s lr=1"],
        "do": "remove it",
    }


@pytest.mark.parametrize(
    ("name", "exit_code"),
    [
        ("UsageError", 2),
        ("ConfigError", 2),
        ("RefusedError", 3),
        ("MissingError", 4),
        ("NoMatchError", 5),
        ("DamageError", 6),
        ("LockedError", 7),
        ("InternalError", 70),
    ],
)
def test_each_error_has_the_exit_code_of_the_contract(name: str, exit_code: int) -> None:
    kind = getattr(errors, name)
    assert kind.exit_code == exit_code
    assert issubclass(kind, SamerunError)


def test_the_exit_codes_are_those_of_the_contract() -> None:
    assert {code.name: int(code) for code in ExitCode} == {
        "DONE": 0,
        "DIFFERENT": 1,
        "USAGE": 2,
        "REFUSED": 3,
        "MISSING": 4,
        "NO_MATCH": 5,
        "DAMAGED": 6,
        "LOCKED": 7,
        "INTERNAL": 70,
        "STOPPED": 75,
        "ABORTED": 130,
    }


def test_a_stop_ends_the_process_with_75() -> None:
    with pytest.raises(SystemExit) as caught:
        raise Stopped("at step 12")
    assert caught.value.code == 75
    assert str(caught.value) == "at step 12"


def test_an_error_survives_the_way_from_a_worker_process() -> None:
    error = DamageError("SR-DAMAGE-003", "x", evidence=["a", "b"], do="y")
    ours, theirs = Pipe()
    with ours, theirs:
        theirs.send(error)
        received = ours.recv()
    assert type(received) is DamageError
    assert received.as_json() == error.as_json() == copy.copy(error).as_json()


def test_every_code_has_a_page_with_title_meaning_and_advice() -> None:
    pages = code_pages()
    assert list(pages) == sorted(pages)
    assert {"SR-FILE-001", "SR-LOCK-001", "SR-DAMAGE-003", "SR-STREAM-001", "SR-SEED-001"} <= set(pages)
    assert all(page.title and page.means and page.do for page in pages.values())
