"""The bill of materials: what it holds, that it is CycloneDX, that equal records give equal bytes."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from samerun.base.sealed import write_sealed
from samerun.record import layout
from samerun.record.constraints import read_environment
from samerun.record.manifest import Entry, Manifest, write_manifest
from samerun.record.reader import RunRecord
from samerun.record.sbom import sbom_text

NOW = "2026-01-02T03:04:05Z"
VCS = {"kind": "vcs", "vcs": "git", "url": "https://example.org/a.git", "commit": "c0ffee"}
ENVIRONMENT = {
    "schema": "samerun.environment",
    "format": 1,
    "python": {"implementation": "CPython", "version": "3.11.7"},
    "system": {"kind": "Linux", "machine": "x86_64"},
    "distributions": {
        "torch": {"version": "2.13.0+cpu", "record": "sha256:ab", "origin": None},
        "mine": {"version": "0.1", "record": None, "origin": {"kind": "editable", "url": "[local path]"}},
        "pack": {"version": "1.0", "record": "sha256:cd", "origin": VCS},
        "wheel-of": {"version": "1.0", "origin": {"kind": "archive", "url": "https://example.org/w.whl"}},
    },
}


@pytest.fixture
def made(tmp_path: Path) -> RunRecord:
    folder = tmp_path / "tiny-0123abcd"
    folder.mkdir()
    write_sealed(folder / layout.ENVIRONMENT, ENVIRONMENT)
    write_manifest(folder, Manifest("tiny", "0123abcd", "0123abcd", Entry("script", (), "train.py"), NOW, NOW))
    return RunRecord.open(folder)


def test_each_distribution_is_a_component_with_its_package_url(made: RunRecord) -> None:
    document = json.loads(sbom_text(made, read_environment(made)))
    assert (document["bomFormat"], document["specVersion"], document["metadata"]["timestamp"]) == (
        "CycloneDX",
        "1.6",
        "2026-01-02T03:04:05+00:00",
    )
    assert [component["purl"] for component in document["components"]] == [
        "pkg:pypi/mine@0.1",
        "pkg:pypi/pack@1.0?vcs_url=git%2Bhttps://example.org/a.git%40c0ffee",
        "pkg:pypi/torch@2.13.0%2Bcpu",
        "pkg:pypi/wheel-of@1.0?download_url=https://example.org/w.whl",
    ]
    assert document["metadata"]["component"]["name"] == "tiny"


def test_the_library_reads_it_back(made: RunRecord) -> None:
    from cyclonedx.model.bom import Bom

    bom: Any = Bom
    found = bom.from_json(json.loads(sbom_text(made, read_environment(made))))
    assert {str(one.name): str(one.version) for one in found.components} == {
        name: facts["version"] for name, facts in ENVIRONMENT["distributions"].items()
    }
    assert found.validate() is True


@pytest.mark.skipif(importlib.util.find_spec("jsonschema") is None, reason="cyclonedx-python-lib[json-validation]")
def test_it_is_valid_by_the_schema_of_the_library(made: RunRecord) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    validator = JsonStrictValidator(SchemaVersion.V1_6)
    text = sbom_text(made, read_environment(made))
    assert validator.validate_str(text) is None
    assert validator.validate_str(text.replace('"library"', '"nonsense"')) is not None


def test_equal_records_give_equal_bytes_in_other_processes(made: RunRecord) -> None:
    code = (
        "import sys; from pathlib import Path; from samerun.record.reader import RunRecord;"
        "from samerun.record.sbom import sbom_text; from samerun.record.constraints import read_environment;"
        "record = RunRecord.open(Path(sys.argv[1])); print(sbom_text(record, read_environment(record)), end='')"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code, str(made.folder)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path), "TZ": zone},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, zone in (("1", "UTC0"), ("2", "XXX-05:45"))
    }
    assert texts == {sbom_text(made, read_environment(made))}
