"""The content manifest of a data set."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samerun.base.digest import sha256
from samerun.data import manifest as module
from samerun.data.manifest import again, manifest, pinned_digest, pinned_manifest
from samerun.data.manifest_file import to_jsonl
from samerun.errors import NoMatchError, RefusedError, UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    (data / "cats").mkdir(parents=True)
    (data / "cats" / "1.png").write_bytes(b"cat")
    (data / "labels.csv").write_bytes(b"a,b\n")
    return data


def test_each_file_has_an_id_a_size_and_a_digest(folder: Path) -> None:
    first, second = manifest(folder).entries
    assert (first.id, first.size, first.sha256) == ("cats/1.png", 3, sha256(b"cat"))
    assert (second.id, second.size) == ("labels.csv", 4)
    assert manifest(folder / "labels.csv").entries == (second,)


def test_label_group_and_time_follow_their_rules(folder: Path) -> None:
    first, second = manifest(folder, label="folder", group="regex:(\\d)", time="regex:l.b").entries
    assert first[3:] == ("cats", "1", None, None) and second[3:] == (None, None, "lab", None)


def test_the_manifest_follows_content_and_names_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    wanted = manifest(folder)
    shutil.copytree(folder, tmp_path / "elsewhere")
    for path in sorted(folder.rglob("*")):
        os.utime(path, (1, 1))
        path.chmod(0o700)
    assert to_jsonl(manifest(folder)) == to_jsonl(manifest(tmp_path / "elsewhere")) == to_jsonl(wanted)
    (folder / "labels.csv").rename(folder / "label.csv")
    assert manifest(folder).digest != wanted.digest


names = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)


@settings(max_examples=30, deadline=None)
@given(st.lists(names.filter(lambda name: name.strip(".") != ""), unique_by=lambda name: normalize("NFC", name)))
def test_the_order_of_making_and_the_unicode_form_of_names_change_no_byte(given_names: list[str]) -> None:
    made = []
    for form in ("NFC", "NFD"):
        place = Path(f"data-{form}")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        (place / "always").write_text("x")
        for name in given_names if form == "NFC" else reversed(given_names):
            (place / normalize(form, name)).write_text(normalize("NFC", name))
        made.append(to_jsonl(manifest(place)))
    assert made[0] == made[1]


def test_a_data_set_of_zero_items_is_refused_with_what_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    os.mkfifo(tmp_path / "data" / "pipe")
    with pytest.raises(NoMatchError, match="SR-DATA-023") as caught:
        manifest(tmp_path / "data")
    assert caught.value.evidence == ("pipe: no regular file",)


def test_what_has_no_entry_is_listed_or_refused(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert manifest(folder).left_out == (("pipe", "no regular file"),)
    with pytest.raises(RefusedError, match="SR-DATA-022"):
        manifest(folder, strict=True)


def test_what_a_program_can_read_and_no_manifest_can_pin_is_refused_for_a_run(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert pinned_manifest(folder).left_out == (("pipe", "no regular file"),)
    (folder / "caf\udce9").write_text("x")
    with pytest.raises(RefusedError, match="SR-DATA-022"):
        pinned_manifest(folder)
    assert pinned_digest(folder / "caf\udce9") == sha256(b"x")


def test_a_manifest_is_made_again_by_its_own_rules(folder: Path, tmp_path: Path) -> None:
    (folder / "out").symlink_to("/etc/passwd")
    for options in ({"label": "folder"}, {"group": "regex:.", "follow_links": True}):
        first = manifest(folder, **options)  # type: ignore[arg-type]
        assert again(first, folder) == first
    (tmp_path / "x.jsonl").write_text('{"a": 1, "b": "x"}\n')
    rows = manifest(tmp_path / "x.jsonl", items=True, label="b", item_id="a")
    assert rows.kind == "items" and again(rows, tmp_path / "x.jsonl") == rows


def test_files_have_no_column_that_could_name_them(folder: Path) -> None:
    with pytest.raises(UsageError, match="SR-DATA-020"):
        manifest(folder, item_id="a")


def test_how_many_at_a_time_and_the_cache_change_nothing(folder: Path) -> None:
    made = [manifest(folder, jobs=jobs, cache=cache) for jobs in (1, 3) for cache in (True, False)]
    assert {to_jsonl(one) for one in made} == {to_jsonl(made[0])}
    assert module.QUIET is not None


KILLED = """
import sys, time
from samerun.base import clock
from samerun.data.manifest import manifest
from samerun.data.reading import Reporting
clock.wall = lambda: time.time() + 60  # files that were written just now would not be kept
print("begun", flush=True)
found = manifest(sys.argv[1], jobs=1, reporting=Reporting(progress=lambda now: print(now.files, flush=True)))
print("read", found.report.files_read, "known", found.report.files_known, found.digest, flush=True)
"""


def lines_of(process: subprocess.Popen[str]) -> Iterator[str]:
    assert process.stdout is not None
    return iter(process.stdout.readline, "")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_kill_loses_at_most_the_last_batch(tmp_path: Path, how: signal.Signals) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for number in range(3000):
        (data / f"{number:04d}").write_bytes(number.to_bytes(4, "big") * 500)
    variables = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-c", KILLED, str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=variables) as one:
        done = 0
        for line in lines_of(one):
            if line.strip().isdecimal() and (done := int(line)) >= 1500:
                one.send_signal(how)
                break
        rest = [int(line) for line in lines_of(one) if line.strip().isdecimal()]
        assert one.wait() != 0
    assert done >= 1500 and max(rest, default=0) < 3000
    again = subprocess.run(command, capture_output=True, text=True, env=variables, check=True)
    last = again.stdout.splitlines()[-1].split()
    assert int(last[1]) + int(last[3]) == 3000 and int(last[3]) >= done - 512
    assert last[4] == manifest(data, cache=False).digest


def test_the_document_of_a_manifest_names_no_place_and_no_time(folder: Path) -> None:
    lines = to_jsonl(manifest(folder)).decode().splitlines()
    assert json.loads(lines[0]) == {"schema": "samerun.data-manifest", "format": 1, "kind": "files", "rules": {}}
