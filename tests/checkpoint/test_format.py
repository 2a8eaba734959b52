"""Names and documents: each name has one spelling, and an index that cannot be is refused field by field."""

from __future__ import annotations

from typing import Any

import pytest

from samerun.checkpoint.format import (
    ComponentFacts,
    FileFacts,
    Index,
    aside_name,
    check_components,
    parse_aside,
    parse_index,
    parse_step,
    step_name,
    tensor_file,
)
from samerun.errors import DamageError, UsageError

HASH, XXH = "sha256:" + "a" * 64, "xxh3:" + "b" * 32
INDEX = Index(
    12, "id", {"model": ComponentFacts(XXH, {"w": XXH}, True, (HASH,))},
    {"state.json": FileFacts(3, HASH), "model.safetensors": FileFacts(4, HASH)}, {"metrics": {"bytes": 1}}, {"x": 1},
)  # fmt: skip


@pytest.mark.parametrize("step", [0, 9, 10, 99_999_999, 100_000_000, 10**15])
def test_a_step_has_one_name_and_the_name_has_one_step(step: int) -> None:
    assert parse_step(step_name(step)) == step
    assert parse_aside(aside_name(step)) == step and parse_step(aside_name(step)) is None


@pytest.mark.parametrize(
    "name",
    [
        "step-1",
        "step-000000012",
        "step-0000001a",
        "step-00000012 ",
        "Step-00000012",
        "step-٠٠٠٠٠٠١٢",
        "step-",
        "step--0000001",
        "step-00000012\n",
    ],
)
def test_other_spellings_are_no_step(name: str) -> None:
    assert parse_step(name) is None


def test_names_grow_with_the_number_and_never_wrap() -> None:
    assert [step_name(99_999_999), step_name(100_000_000)] == ["step-99999999", "step-100000000"]


def test_an_index_comes_back_from_its_document() -> None:
    assert parse_index(INDEX.document(), 12, "x") == INDEX


@pytest.mark.parametrize("step", [11, 13])
def test_an_index_of_another_step_is_refused(step: int) -> None:
    with pytest.raises(DamageError, match="SR-CHECKPOINT-012"):
        parse_index(INDEX.document(), step, "x")


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_another_format_is_named(version: Any) -> None:
    with pytest.raises(DamageError, match="SR-CHECKPOINT-011"):
        parse_index({**INDEX.document(), "format": version}, 12, "x")


@pytest.mark.parametrize("key", ["step", "identity", "components", "files", "logs", "extra"])
@pytest.mark.parametrize("junk", ["absent", None, 7, "x", [1], True])
def test_a_field_that_cannot_be_is_refused(key: str, junk: Any) -> None:
    document = INDEX.document()
    if junk == "absent":
        del document[key]
    else:
        document[key] = junk
    if (key == "extra" and junk != "absent") or (key == "identity" and junk == "x"):
        return
    with pytest.raises(DamageError):
        parse_index(document, 12, "x")


@pytest.mark.parametrize("name", ["model", "_x", "a.b-c_1", "A" * 100])
def test_ordinary_names_are_names(name: str) -> None:
    check_components([name])
    assert tensor_file(name) == f"{name}.safetensors"


def test_a_name_ending_in_a_newline_is_none() -> None:
    with pytest.raises(UsageError):
        check_components(["model\n"])
