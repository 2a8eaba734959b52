"""Files of manifests."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256
from samerun.data.entry import Entry, LeftOut
from samerun.data.manifest import Manifest
from samerun.data.manifest_file import checked_target, read_manifest, to_jsonl, write_manifest
from samerun.errors import DamageError, MissingError, RefusedError, UsageError

MADE = Manifest(
    (
        Entry("a/1.png", 3, sha256(b"1"), "a", "g", "2024", "train"),
        Entry("b\n\"'.txt", 0, sha256(b"")),
    ),
    (LeftOut("pipe", "no regular file"),),
    rules={"label": "folder"},
    split={"by": "id", "key": "k"},
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
optional = st.none() | texts
ENDINGS = (".jsonl", ".parquet")


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_was_written_is_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "deep" / f"m{ending}"
    write_manifest(path, MADE)
    first = path.read_bytes()
    assert read_manifest(path) == MADE
    write_manifest(path, MADE)
    assert path.read_bytes() == first


@pytest.mark.parametrize("ending", ENDINGS)
def test_only_an_older_manifest_is_written_over(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rows{ending}"
    for data in (b'{"id": 1}\n', b"PAR1 rows PAR1"):
        path.write_bytes(data)
        with pytest.raises(RefusedError, match="SR-DATA-037"):
            write_manifest(path, MADE)
        assert path.read_bytes() == data
    path.write_bytes(b"")
    write_manifest(path, MADE)
    path.write_bytes(path.read_bytes().replace(b"a/1.png", b"a/2.png"))  # damaged: it is made again
    write_manifest(path, MADE)
    assert read_manifest(path) == MADE


def test_a_manifest_does_not_lie_inside_of_the_folder_that_it_lists(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to("data")
    for inside in ("data/m.jsonl", "data/deep/m.jsonl", "link/m.jsonl"):
        with pytest.raises(UsageError, match="SR-DATA-038"):
            checked_target(tmp_path / inside, tmp_path / "data")
    assert checked_target(tmp_path / "m.jsonl", tmp_path / "data") == ".jsonl"


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(texts, st.integers(0, 2**50), optional, optional, optional, optional), unique_by=lambda t: t[0])
)
def test_each_line_is_canonical_json_and_the_last_one_covers_all(
    rows: list[tuple[str, int, str, str, str, str]],
) -> None:
    entries = sorted(Entry(row[0], row[1], sha256(row[0].encode()), *row[2:]) for row in rows)
    data = to_jsonl(Manifest(tuple(entries)))
    for line in data.split(b"\n")[:-1]:
        assert canonical_bytes(json.loads(line)) == line
    Path("m.jsonl").write_bytes(data)
    assert list(read_manifest(Path("m.jsonl")).entries) == entries


@pytest.mark.parametrize("ending", ENDINGS)
def test_any_byte_that_changed_is_damage(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"m{ending}"
    write_manifest(path, MADE)
    whole = path.read_bytes()
    places = range(0, len(whole), 5) if ending == ".jsonl" else range(4, len(whole), 97)
    kept = 0
    for place in places:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            assert read_manifest(path) == MADE
            kept += 1
        except (DamageError, MissingError):
            continue
    # Parquet has bytes that mean nothing, such as who wrote it.
    assert kept == 0 or ending == ".parquet"


@pytest.mark.parametrize("cut", [0, 1, 10, -1, -20])
def test_a_file_that_was_cut_is_damage(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "m.jsonl"
    path.write_bytes(to_jsonl(MADE)[:cut])
    with pytest.raises(DamageError):
        read_manifest(path)


def test_lines_that_went_missing_together_with_the_sum_are_seen_by_the_number(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    lines = to_jsonl(MADE).split(b"\n")
    path.write_bytes(b"\n".join(lines[:-3] + lines[-2:]))
    with pytest.raises(DamageError, match="SR-DATA-028"):
        read_manifest(path)


@pytest.mark.parametrize("text", ["", "{}\n", "[]\n", "null\n", "x", '{"id": 1}\n' * 3, "\0\n", "[" * 100_000 + "\n"])
def test_what_is_no_manifest_is_damage_not_a_traceback(tmp_path: Path, text: str) -> None:
    for ending in ENDINGS:
        path = tmp_path / f"m{ending}"
        path.write_text(text)
        with pytest.raises(DamageError):
            read_manifest(path)


def test_a_later_format_another_ending_and_no_file_are_said(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    body = to_jsonl(MADE).replace(b'"format":1', b'"format":2')
    head = body[: body.rfind(b"\n", 0, -1) + 1]
    last = {**json.loads(body[len(head) :]), "sum": sha256(head).removeprefix("sha256:")}
    path.write_bytes(head + canonical_bytes(last) + b"\n")
    with pytest.raises(MissingError, match="SR-DATA-029"):
        read_manifest(path)
    with pytest.raises(UsageError, match="SR-DATA-027"):
        write_manifest(tmp_path / "m.csv", MADE)
    with pytest.raises(MissingError, match="SR-DATA-015"):
        read_manifest(tmp_path / "gone.jsonl")


def test_without_pyarrow_parquet_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingError, match="SR-DATA-026") as caught:
        write_manifest(tmp_path / "m.parquet", MADE)
    assert "samerun[table]" in caught.value.do
