"""The metadata as another tool reads them: the `rocrate` package, and nothing of this machine."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import pytest
from rocrate.rocrate import ROCrate

from samerun.record.bundle.crate import ACTION, crate_bytes, identifier
from samerun.record.bundle.index import BundleIndex
from samerun.record.bundle.members import member_of_bytes
from samerun.record.bundle.packing import Packing
from samerun.record.manifest import Status
from samerun.record.reader import RunRecord

MakeRun = Callable[..., Path]


@pytest.fixture
def crate(packing: Packing, tmp_path: Path) -> ROCrate:
    """The bundle's members as files, read by rocrate."""
    for member in packing.members:
        path = tmp_path / "crate" / member.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(member.blocks()))
    return ROCrate(str(tmp_path / "crate"))


def test_every_file_of_the_bundle_is_a_part_and_every_part_is_there(
    crate: ROCrate, packing: Packing, tmp_path: Path
) -> None:
    parts = {entity.id for entity in crate.root_dataset["hasPart"]}
    names = {member.name for member in packing.members} - {"ro-crate-metadata.json"}
    assert {unquote(part) for part in parts if not part.endswith("/")} == names
    assert all((tmp_path / "crate" / unquote(part)).exists() for part in parts)
    assert "run/checkpoints/step-00000003/" in parts


def test_the_root_says_which_run_it_is_and_when_it_ended(crate: ROCrate) -> None:
    root = crate.root_dataset
    assert root["name"].startswith("run digits-") and root["identifier"] and root["license"]
    assert str(root["datePublished"]).startswith("2026-01-01")
    assert root["conformsTo"].id == "https://w3id.org/ro/wfrun/process/0.5"
    assert root["mentions"].id == ACTION


def test_the_run_is_an_action_with_what_made_it_what_it_read_and_what_it_made(crate: ROCrate) -> None:
    action = crate.get(ACTION)
    assert action.type == "CreateAction"
    assert [one.id for one in action["instrument"]] == ["#samerun", "run/source-files.tar"]
    assert "run/config.json" in [one.id for one in action["object"]]
    made = [one.id for one in action["result"]]
    assert {"run/metrics.jsonl", "run/trail.jsonl", "run/checkpoints/step-00000003/"} <= set(made)
    assert (action["startTime"], action["endTime"]) == ("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z")
    assert action["actionStatus"].endswith("CompletedActionStatus")


def test_each_file_has_its_size_and_digest(crate: ROCrate, packing: Packing) -> None:
    index: BundleIndex = packing.index
    for name, facts in index.members.items():
        if name != "ro-crate-metadata.json":
            entity = crate.get(identifier(name))
            assert (entity["contentSize"], "sha256:" + entity["sha256"]) == (str(facts.size), facts.sha256)


@pytest.mark.parametrize(
    ("status", "wanted", "has_error"),
    [
        (Status.STOPPED, "ActiveActionStatus", False), (Status.FAILED, "FailedActionStatus", True),
        (Status.RUNNING, "FailedActionStatus", True), (Status.READY, "FailedActionStatus", True),
        (Status.CLOSED_BEFORE_TRAINING, "PotentialActionStatus", False),
    ],
)  # fmt: skip
def test_each_status_has_its_word(make_run: MakeRun, status: Status, wanted: str, has_error: bool) -> None:
    graph = graph_of(make_run(status=status, reason="it broke"))
    action = graph[ACTION]
    assert action["actionStatus"]["@id"] == f"http://schema.org/{wanted}"
    assert (action.get("error") == "it broke") is has_error


def graph_of(folder: Path, **data: tuple[str, ...]) -> dict[str, dict[str, object]]:
    record = RunRecord.open(folder)
    members = [member_of_bytes("data/a b#.csv", b"1")] if data else []
    document = json.loads(crate_bytes(record, folder.name, members, data))
    return {entity["@id"]: entity for entity in document["@graph"]}


def test_a_name_with_a_space_is_a_relative_uri(make_run: MakeRun) -> None:
    assert "data/a%20b%23.csv" in graph_of(make_run(), x=("data/a b#.csv",))


def test_nothing_of_this_machine_is_in_it(packing: Packing, tmp_path: Path) -> None:
    text = next(member for member in packing.members if member.name == "ro-crate-metadata.json").data.decode()
    for word in (str(tmp_path), socket.gethostname(), str(Path.home()), os.environ.get("USER") or "\0"):
        assert word not in text


def test_the_file_itself_is_a_crate(bundle: Path) -> None:
    crate = ROCrate(str(bundle))
    assert crate.get("run/manifest.json").type == "File" and len(crate.get(ACTION)["instrument"]) == 2
