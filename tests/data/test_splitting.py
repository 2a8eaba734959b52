"""Splits of manifests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samerun.data.check import check
from samerun.data.entry import Entry
from samerun.data.manifest import Manifest, manifest
from samerun.data.manifest_file import read_manifest
from samerun.data.splitting import split_manifest, write_split
from samerun.errors import RefusedError, UsageError

PARTS = {"train": 0.6, "val": 0.2, "test": 0.2}


def of(*entries: Entry) -> Manifest:
    return Manifest(tuple(sorted(entries)))


def numbered(count: int) -> Manifest:
    return of(*(Entry(f"{number:03d}", 1, str(number), "ab"[number % 2], None, str(number)) for number in range(count)))


def places(found: Manifest) -> dict[str, str | None]:
    return {entry.id: entry.split for entry in found.entries}


ids = st.text(max_size=4)
rows = st.lists(
    st.tuples(ids, st.sampled_from([None, "g1", "g2", "g3", "g4"]), st.sampled_from("123456")),
    unique_by=lambda row: row[0],
    min_size=1,
)


@settings(max_examples=100)
@given(rows, st.data(), st.sampled_from(["group", "id", "content"]), st.text(max_size=3))
def test_entries_that_are_added_move_no_other_one(
    table: list[tuple[str, str | None, str]], data: st.DataObject, by: str, key: str
) -> None:
    entries = [Entry(name, 1, content, None, group if by == "group" else None) for name, group, content in table]
    part = data.draw(st.lists(st.sampled_from(entries), unique=True, min_size=1))
    whole = places(split_manifest(of(*entries), PARTS, by=by, key=key).manifest)  # type: ignore[arg-type]
    few = places(split_manifest(of(*part), PARTS, by=by, key=key).manifest)  # type: ignore[arg-type]
    assert {name: whole[name] for name in few} == few


@given(rows)
def test_a_group_is_never_parted_nor_equal_contents_where_content_decides(
    table: list[tuple[str, str | None, str]],
) -> None:
    manifest = of(*(Entry(name, 1, content, None, group) for name, group, content in table))
    by_group: dict[str, set[str | None]] = {}
    for entry in split_manifest(manifest, PARTS).manifest.entries:
        if entry.group is not None:
            by_group.setdefault(entry.group, set()).add(entry.split)
    assert all(len(found) == 1 for found in by_group.values())
    alone = of(*(entry._replace(group=None) for entry in manifest.entries))
    assert not any(one.is_leak for one in split_manifest(alone, PARTS, by="content").duplicates.exact)


def test_near_duplicates_of_what_is_gone_or_unreadable_are_counted_as_not_looked_at(tmp_path: Path) -> None:
    pytest.importorskip("datasketch")
    for name in ("gone", "folder", "kept"):
        (tmp_path / name).write_text(f"some words of {name}")
    made = manifest(tmp_path)
    (tmp_path / "gone").unlink()
    (tmp_path / "folder").unlink()
    (tmp_path / "folder").symlink_to("nowhere")
    assert split_manifest(made, PARTS, near=tmp_path).duplicates.not_looked_at == 2
    table = tmp_path / "x.csv"
    table.write_text("id,text\n1,some words\n2,other words\n")
    rows = manifest(table, items=True, item_id="id")
    table.write_text("id,text\n1,some words\n")
    assert split_manifest(rows, PARTS, near=table).duplicates.not_looked_at == 1


def test_classes_are_counted_and_empty_splits_named() -> None:
    found = split_manifest(numbered(100), {**PARTS, "none": 0.0})
    assert sum(found.counts.values()) == 100 and found.empty == ("none",)
    assert {label: sum(counts.values()) for label, counts in found.classes.items()} == {"a": 50, "b": 50}
    assert found.manifest.split == {"by": "group", "fractions": {**PARTS, "none": 0.0}, "key": "split"}
    assert found.manifest.digest == numbered(100).digest


@pytest.mark.parametrize(
    "fractions",
    [
        {"a": float("nan"), "b": 1.0},
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": -0.1, "b": 1.1},
        {"a": 0.7, "b": 0.7},
        {"a": 0.5, "b": 0.4},
        {},
    ],
)
def test_fractions_that_are_no_parts_of_a_whole_are_refused(fractions: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="SR-DATA-017"):
        split_manifest(numbered(3), fractions)


def test_duplicates_within_and_across_are_reported_or_refused() -> None:
    manifest = of(*(Entry(f"{number}", 1, "same" if number < 30 else str(number)) for number in range(40)))
    (one,) = split_manifest(manifest, PARTS).duplicates.exact
    assert one.is_leak and len(one.ids) == 30
    with pytest.raises(RefusedError, match="SR-DATA-030"):
        split_manifest(manifest, PARTS, strict=True)


def test_a_chronological_split_follows_time_and_its_cuts_place_new_entries() -> None:
    found = split_manifest(numbered(10), PARTS, chronological="time")
    assert [entry.split for entry in found.manifest.entries] == ["train"] * 6 + ["val"] * 2 + ["test"] * 2
    cuts = found.manifest.split["cuts"]
    assert cuts == {"train": None, "val": "6", "test": "8"}
    again = split_manifest(numbered(30), chronological="time", cuts=cuts)
    assert {name: again_place for name, again_place in places(again.manifest).items() if int(name) < 10} == places(
        found.manifest
    )
    by_id = split_manifest(numbered(10), PARTS, chronological="id").manifest
    assert places(by_id) == places(found.manifest)


def test_a_split_that_would_part_a_group_is_refused() -> None:
    entries = [Entry(f"{number}", 1, f"{number}", None, f"g{number // 4}", f"{number}") for number in range(8)]
    for by in ("id", "content"):
        with pytest.raises(RefusedError, match="SR-DATA-034"):
            split_manifest(of(*entries), PARTS, by=by)  # type: ignore[arg-type]
    assert split_manifest(of(*entries), {"a": 0.5, "b": 0.5}, chronological="time").counts == {"a": 4, "b": 4}
    with pytest.raises(RefusedError, match="SR-DATA-034") as caught:
        split_manifest(of(*entries), {"a": 0.6, "b": 0.4}, chronological="time")
    assert caught.value.evidence == ("g1: a, b",)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cuts": {"a": None}},
        {"cuts": {"a": None}, "fractions": {"a": 1.0}, "chronological": "time"},
        {"fractions": {"a": 1.0}, "chronological": "time", "by": "id"},
        {"fractions": {"a": 1.0}, "chronological": "colour"},
        {"fractions": {"a": 1.0}, "chronological": "group"},
        {"fractions": {"../a": 1.0}},
    ],
)
def test_a_split_that_cannot_be_made_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="SR-DATA-032"):
        split_manifest(numbered(3), **options)  # type: ignore[arg-type]


def test_a_split_is_written_as_one_file_or_as_one_a_split(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for number in range(20):
        (data / f"{number}.txt").write_text(str(number))
    found = split_manifest(manifest(data), PARTS)
    (one,) = write_split(tmp_path / "split.jsonl", found)
    assert read_manifest(one) == found.manifest and check(read_manifest(one), data).is_same
    files = write_split(tmp_path / "splits", found)
    assert [path.name for path in files] == ["train.jsonl", "val.jsonl", "test.jsonl"]
    entries = [entry for path in files for entry in read_manifest(path).entries]
    assert sorted(entries) == sorted(found.manifest.entries)
