"""Trace files: what is written is read back, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import DamageError, NoMatchError
from samerun.record.trace import Operation, Trace

OPERATION = Operation(
    "aten::mm", "forward", "net.0", "train.py:7", 0, "(t0, t1)", ("xxh3:a", None), ("xxh3:b",), (None, "net.0.weight")
)
TRACE = Trace(
    "run-0123abcd", "0123456789abcdef", 7, 5, {"net": "xxh3:0"}, {"net": "xxh3:1"}, {"threads": 1}, (OPERATION,)
)


def test_a_trace_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    TRACE.write(tmp_path / "t.json")
    assert Trace.read(tmp_path / "t.json") == TRACE


def test_a_flipped_byte_is_found_and_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    TRACE.write(path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(DamageError):
            Trace.read(path)
    for absent in (tmp_path / "gone.json", tmp_path):
        with pytest.raises(NoMatchError, match="SR-TRACE-001"):
            Trace.read(absent)


@pytest.mark.parametrize("change", [{"operations": None}, {"operations": [{"name": "aten::mm"}]}, {"schema": "other"}])
def test_a_sealed_document_that_is_no_trace_is_damage(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "t.json"
    TRACE.write(path)
    document = {key: value for key, value in read_sealed(path).items() if key != "digest"}
    write_sealed(path, {**document, **change})
    with pytest.raises(DamageError, match="SR-RECORD-021"):
        Trace.read(path)
    write_sealed(path, {key: value for key, value in document.items() if key != "before"})
    with pytest.raises(DamageError, match="before"):
        Trace.read(path)


@pytest.mark.parametrize("change", [{"outputs": 5}, {"inputs": "xxh3:a"}, {"inputs": [1, 2]}, {"subjects": []}])
def test_an_operation_whose_tensors_are_no_lists_of_digests_is_damage(
    tmp_path: Path, change: dict[str, object]
) -> None:
    path = tmp_path / "t.json"
    TRACE.write(path)
    document = {key: value for key, value in read_sealed(path).items() if key != "digest"}
    write_sealed(path, {**document, "operations": [{**OPERATION.as_json(), **change}]})
    with pytest.raises(DamageError, match="SR-RECORD-021"):
        Trace.read(path)


def test_every_field_of_an_operation_is_written() -> None:
    assert set(OPERATION.as_json()) == set(vars(replace(OPERATION)))
