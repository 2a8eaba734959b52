"""Kinds of single values: what they take, and the sentence with which they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from samerun.config.values import Cadence, Operations, RunName, Secret, Seed
from samerun.errors import MissingError


def sentence(kind: Any, value: object) -> str:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    return str(caught.value.errors()[0]["ctx"]["sentence"])


@pytest.mark.parametrize("seed", [0, 7, 2**53 + 1, 2**64, 2**128 - 1])
def test_every_integer_below_two_to_the_128_is_a_seed(seed: int) -> None:
    assert TypeAdapter(Seed).validate_json(str(seed)) == seed


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (-1, "is negative"),
        (True, "true is a truth value"),
        (7.0, "write 7"),
        ("7", "remove the quotes"),
        (2**128, "below 2^128"),
        ([7], "not a list"),
    ],
)
def test_what_is_no_seed_is_refused_with_a_sentence(value: object, part: str) -> None:
    assert part in sentence(Seed, value)


@pytest.mark.parametrize("value", [1, 100, "15min", "90s", "1h30m"])
def test_a_cadence_is_steps_or_a_duration(value: int | str) -> None:
    assert TypeAdapter(Cadence).validate_python(value) == value


@pytest.mark.parametrize("value", [0, -3, True, 1.5, "soon", "", "0s", "15 parsecs"])
def test_what_is_no_cadence_is_refused(value: object) -> None:
    assert sentence(Cadence, value)


@pytest.mark.parametrize("name", ["digits", "a", "run-1.2_b", "0", "a" * 100])
def test_a_name_can_stand_in_a_folder_name(name: str) -> None:
    assert TypeAdapter(RunName).validate_python(name) == name


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "-x", "a b", "é", "a" * 101, "a\n"])
def test_a_name_that_could_leave_its_folder_is_refused(name: str) -> None:
    assert "is not a name" in sentence(RunName, name)


def test_operations_are_a_set() -> None:
    names = ("aten::cumsum", "aten::add.Tensor", "aten::cumsum")
    assert TypeAdapter(Operations).validate_python(names) == ("aten::add.Tensor", "aten::cumsum")
    assert "is not an operation" in sentence(Operations, ("cumsum",))


def test_a_secret_is_a_reference_that_is_read_when_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PRACTICE_TOKEN", "the-secret")
    (tmp_path / "token").write_text("from-the-file\n", encoding="utf-8")
    by_name = TypeAdapter(Secret).validate_python("env:PRACTICE_TOKEN")
    by_file = TypeAdapter(Secret).validate_python(f"file:{tmp_path}/token")
    assert by_name.reveal() == "the-secret"
    assert by_file.reveal() == "from-the-file"
    assert "the-secret" not in repr(by_name)


def test_a_secret_itself_is_refused_without_repeating_it() -> None:
    said = sentence(Secret, "my-very-own-password")
    assert "my-very-own-password" not in said
    assert "env:NAME" in said


def test_a_secret_that_is_not_there_is_missing(tmp_path: Path) -> None:
    for reference in ("env:NOT_SET_ANYWHERE", f"file:{tmp_path}/none"):
        with pytest.raises(MissingError) as caught:
            Secret(reference).reveal()
        assert caught.value.code == "SR-CONFIG-016"
