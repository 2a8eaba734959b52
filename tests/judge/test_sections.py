from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from samerun.base.sealed import write_sealed
from samerun.judge.evidence import gather
from samerun.judge.sections import NOTHING, sections
from samerun.record import layout
from samerun.record.manifest import Entry, write_manifest
from samerun.record.reader import RunRecord


def test_every_section_is_there_and_is_json_whether_anything_differs_or_not(record: Any) -> None:
    a = record()
    for b in (record(), record(at=2, batch="xxh3:x", source="sha256:y", text=b"rate = 3\n", platform={"torch": "3"})):
        found = sections(a, b, gather(a, b))
        assert list(found) == list(NOTHING) and json.loads(json.dumps(found))


def test_lines_come_from_the_snapshots_of_the_runs(record: Any) -> None:
    a, b = record(), record(source="sha256:y", text=b"rate = 3\n")
    (row,) = sections(a, b, gather(a, b))["source"]
    assert row["lines"] == ["@@ -1,1 +1,1 @@", "-rate = 1", "+rate = 3"]


def test_packages_and_data_are_told_one_by_one(record: Any) -> None:
    a, b = record(), record()
    write_sealed(b.folder / layout.ENVIRONMENT, {"packages": {"numpy": "2.5.0"}, "variables": {"TZ": "UTC"}})
    for one, digest in ((a, "1"), (b, "2")):
        files = {"set": {"num_files": 2, "files": {"x": digest, "y": "0"}}}
        document = {"schema": "samerun.data", "format": 1, "inputs": {"set": digest}, "files": files}
        write_sealed(one.folder / layout.DATA, document)
    found = sections(a, b, gather(a, b))
    assert [row["path"] for row in found["environment"]] == ["packages.numpy", "variables"]
    assert found["data"][0]["files"] == {"changed": ["x"], "added": [], "removed": [], "moved": [], "of": 2}


def test_a_record_without_source_or_data_has_these_sections_empty(record: Any) -> None:
    a, b = record(), record()
    write_manifest(b.folder, replace(b.manifest, grade="external"))
    (b.folder / layout.SOURCE).unlink()
    imported = RunRecord.open(b.folder)
    assert sections(a, imported, gather(a, imported))["source"][0]["change"] == "removed"


def test_the_arguments_of_the_scripts_are_a_row_of_the_environment(record: Any) -> None:
    a, b = record(), record()
    for one, argv in ((a, ()), (b, ("code",))):
        write_manifest(one.folder, replace(one.manifest, entry=Entry("script", argv, "base.py")))
    sides = RunRecord.open(a.folder), RunRecord.open(b.folder)
    rows = sections(*sides, gather(*sides))["environment"]
    assert rows == [{"group": "arguments", "path": "arguments", "a": [], "b": ["code"]}]
