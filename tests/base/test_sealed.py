"""Sealed documents: any changed byte, and any byte added or taken away, is found."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256
from samerun.base.sealed import read_sealed, seal, unseal, write_sealed
from samerun.errors import DamageError

DOCUMENT: dict[str, Any] = {"schema": "x/1", "step": 12, "loss": 0.5, "big": 2.0**60, "nan": math.nan, "é": ["ü", None]}


def test_a_document_comes_back_as_it_was_written(tmp_path: Path) -> None:
    write_sealed(tmp_path / "a.json", DOCUMENT)
    assert read_sealed(tmp_path / "a.json") == {**DOCUMENT, "nan": "NaN"}
    assert (tmp_path / "a.json").read_bytes().endswith(b"}\n")


def test_the_digest_is_over_the_rest_of_the_document() -> None:
    stored = json.loads(seal({"b": 1, "a": 2}))
    assert stored["digest"] == sha256(canonical_bytes({"a": 2, "b": 1}))


def test_flipping_any_bit_of_any_byte_is_damage() -> None:
    data = seal(DOCUMENT)
    for at in range(len(data)):
        for bit in range(8):
            broken = bytearray(data)
            broken[at] ^= 1 << bit
            with pytest.raises(DamageError):
                unseal(bytes(broken), "x")


def test_every_cut_and_every_added_byte_is_damage() -> None:
    data = seal(DOCUMENT)
    for at in range(len(data)):
        with pytest.raises(DamageError):
            unseal(data[:at], "x")
        with pytest.raises(DamageError):
            unseal(data[:at] + b" " + data[at:], "x")
    with pytest.raises(DamageError):
        unseal(data + b"\n", "x")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"{}", "SR-DAMAGE-002"),
        (b"[]", "SR-DAMAGE-002"),
        (b'{"digest":7}', "SR-DAMAGE-002"),
        (b'{"a":1}', "SR-DAMAGE-002"),
        (b'{"a":1,"digest":"sha256:00"}', "SR-DAMAGE-003"),
        (b"{", "SR-DAMAGE-001"),
    ],
)
def test_a_missing_digest_is_never_accepted(data: bytes, code: str) -> None:
    with pytest.raises(DamageError) as caught:
        unseal(data, "runs/x/identity.json")
    assert caught.value.code == code
    assert "runs/x/identity.json" in str(caught.value)


def test_another_layout_of_the_same_values_is_damage() -> None:
    pretty = json.dumps(json.loads(seal(DOCUMENT)), indent=2, sort_keys=True).encode()
    with pytest.raises(DamageError):
        unseal(pretty, "x")


def test_a_document_with_a_digest_of_its_own_cannot_be_sealed() -> None:
    with pytest.raises(ValueError, match="digest"):
        seal({"digest": "x"})


def test_a_file_that_is_not_there_is_no_damage(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_sealed(tmp_path / "none.json")
