"""The manifest survives the disk unchanged, and nothing else passes for one."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from samerun.base.sealed import read_sealed, seal, write_sealed
from samerun.errors import DamageError, MissingError
from samerun.record import layout
from samerun.record.manifest import (
    Checked,
    Entry,
    Manifest,
    Parent,
    Segment,
    Status,
    read_manifest,
    write_manifest,
)
from samerun.record.rows import LogMark

FULL = Manifest(
    name="digits",
    identity="0123456789abcdef",
    opening="0123456789abcdef",
    entry=Entry("recipe", ("-s", "steps=3"), "recipes/digits.yaml"),
    created="2026-11-29T12:00:00.000Z",
    updated="2026-11-29T12:05:00.000Z",
    status=Status.STOPPED,
    step=100,
    steps=600,
    attempt=2,
    seed=str(2**127),
    exact_except=("aten::cumsum",),
    parent=Parent("base-00000000", "0000000000000000", 50, "xxh3:" + "0" * 32),
    segments=(Segment(0, 0, "0123456789abcdef", "sha256:" + "1" * 64, ("platform.threads",)),),
    checked=Checked(40, 40),
    enforced={"deterministic_algorithms": True, "threads": 1, "cublas_workspace": None},
    excepted={"aten::cumsum": 12},
    logs={"metrics": LogMark(10, 1, "f" * 16)},
    metrics={"train/loss": 0.5, "train/nan": "NaN"},
    best={"metric": "evaluate/accuracy", "step": 50, "value": 0.97},
    late_imports=("extra.py",),
    reason="SIGTERM",
)
SMALL = Manifest("a", "0" * 16, "0" * 16, Entry("loop"), "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z")


@pytest.mark.parametrize("manifest", [FULL, SMALL])
def test_a_manifest_is_read_as_it_was_written(tmp_path: Path, manifest: Manifest) -> None:
    write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest


def test_a_new_status_replaces_the_old_one_whole(tmp_path: Path) -> None:
    write_manifest(tmp_path, FULL)
    write_manifest(tmp_path, replace(FULL, status=Status.COMPLETED, logs={}))
    assert read_manifest(tmp_path).status is Status.COMPLETED
    assert [path.name for path in tmp_path.iterdir()] == [layout.MANIFEST]


def test_a_flipped_byte_of_a_manifest_is_found(tmp_path: Path) -> None:
    write_manifest(tmp_path, SMALL)
    path = tmp_path / layout.MANIFEST
    whole = path.read_bytes()
    for position in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[position] ^= 0x01
        path.write_bytes(damaged)
        with pytest.raises(DamageError):
            read_manifest(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"status": "sleeping"},
        {"step": "3"},
        {"colour": "red"},
        {"schema": "samerun.identity"},
        {"format": "1"},
        {"entry": {"kind": "loop"}},
        {"logs": {"metrics": 3}},
        {"parent": {"run": "x"}},
    ],
)
def test_a_sealed_document_of_another_shape_is_damage(tmp_path: Path, change: dict[str, object]) -> None:
    write_sealed(tmp_path / layout.MANIFEST, {**SMALL.as_document(), **change})
    with pytest.raises(DamageError, match=r"SR-RECORD-0(21|16)"):
        read_manifest(tmp_path)


def test_a_missing_key_without_a_default_is_damage(tmp_path: Path) -> None:
    document = SMALL.as_document()
    del document["identity"]
    write_sealed(tmp_path / layout.MANIFEST, document)
    with pytest.raises(DamageError, match="SR-RECORD-021"):
        read_manifest(tmp_path)


def test_a_manifest_of_an_earlier_version_may_lack_later_keys(tmp_path: Path) -> None:
    document = SMALL.as_document()
    for name in ("checked", "enforced", "excepted", "best", "late_imports", "segments", "logs"):
        del document[name]
    write_sealed(tmp_path / layout.MANIFEST, document)
    assert read_manifest(tmp_path) == SMALL


def test_a_manifest_of_a_later_format_is_refused_by_name(tmp_path: Path) -> None:
    write_sealed(tmp_path / layout.MANIFEST, {**SMALL.as_document(), "format": layout.RUN_FORMAT + 1})
    with pytest.raises(MissingError, match="SR-RECORD-020"):
        read_manifest(tmp_path)


def test_a_missing_manifest_is_damage(tmp_path: Path) -> None:
    with pytest.raises(DamageError, match="SR-RECORD-022"):
        read_manifest(tmp_path)


def test_a_plain_tree_is_sealed(tmp_path: Path) -> None:
    write_manifest(tmp_path, FULL)
    document = read_sealed(tmp_path / layout.MANIFEST)
    assert document["logs"] == {"metrics": {"bytes": 10, "part": 0, "rows": 1, "sum": "f" * 16}}
    assert document["seed"] == str(2**127)


def test_the_manifest_shown_in_the_docs_is_one() -> None:
    page = (Path(__file__).parents[2] / "docs/formats/manifest.md").read_text("utf-8")
    shown = json.loads(page.partition("```json\n")[2].partition("```")[0])
    digest = shown.pop("digest")
    assert json.loads(seal(shown))["digest"] == digest
    assert Manifest.from_document(shown, "the docs").as_document() == shown
