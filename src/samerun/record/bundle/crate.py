"""`ro-crate-metadata.json`: what a bundle is, in the words of RO-Crate 1.1 and its profile Process Run Crate 0.5.

A pure function of the record and of the members: no time of packing, no host, no user, no path. Other tools read it;
samerun reads bundle.json instead. https://w3id.org/ro/crate/1.1, https://w3id.org/ro/wfrun/process/0.5
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from samerun.base.canon import canonical_bytes
from samerun.checkpoint.format import step_name
from samerun.record import layout
from samerun.record.bundle.leaving import step_of
from samerun.record.bundle.members import Member
from samerun.record.bundle.names import CRATE, INDEX, RUN
from samerun.record.manifest import Status
from samerun.record.reader import RunRecord

Entity = dict[str, Any]

CONTEXT: Final = ("https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context")
PROFILE: Final = "https://w3id.org/ro/wfrun/process/0.5"
ACTION: Final = "#run"
TOOL: Final = "#samerun"
SOURCE: Final = RUN + layout.SOURCE_FILES
LICENSE: Final = "The record names no licence; ask whoever gave you this bundle."
STATUSES: Final = {
    Status.COMPLETED: "CompletedActionStatus",
    Status.FAILED: "FailedActionStatus",
    Status.INTERRUPTED: "FailedActionStatus",
    Status.READY: "PotentialActionStatus",
    Status.CLOSED_BEFORE_TRAINING: "PotentialActionStatus",
}
"""A stopped run can go on: its action is an active one."""
_KINDS: Final = {
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".tar": "application/x-tar",
    ".patch": "text/x-diff",
    ".yaml": "application/yaml",
    ".toml": "application/toml",
    ".csv": "text/csv",
    ".txt": "text/plain",
    ".parquet": "application/vnd.apache.parquet",
}
_ABOUT: Final = {
    INDEX: "size and SHA-256 of every other file of this bundle",
    RUN + layout.MANIFEST: "what happened to the run",
    RUN + layout.IDENTITY: "the facts that make two runs the same experiment on the same platform",
    RUN + layout.CONFIG: "the resolved settings and where each came from",
    RUN + layout.ENVIRONMENT: "versions and variables that the run was made with",
    RUN + layout.SOURCE: "the source that computed the run, file by file",
    SOURCE: "the source that computed the run",
    RUN + layout.DATA: "digests of the data",
    RUN + layout.DATA_FILES: "digests of the files of the data",
    RUN + layout.log_part_name(layout.METRICS, 0): "the numbers of every step",
    RUN + layout.log_part_name(layout.TRAIL, 0): "digests of every step: batches, draws, state",
}


def crate_bytes(record: RunRecord, name: str, members: Sequence[Member], data: Mapping[str, Sequence[str]]) -> bytes:
    """Return the metadata of a bundle of the run `name` with these members (the index comes besides)."""
    files = [_file(member) for member in members]
    steps = _checkpoints(members)
    inputs = list(_inputs(record, data))
    metrics = list(_metrics(record))
    graph = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        },
        _root(record, name, [INDEX, *(member.name for member in members)], steps),
        {"@id": PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
        {"@id": INDEX, "@type": "File", "name": _ABOUT[INDEX], "encodingFormat": _KINDS[".json"]},
        *files,
        *steps,
        *_tools(record),
        _action(record, name, files, [*steps, *metrics], inputs),
        *inputs,
        *metrics,
    ]
    return canonical_bytes({"@context": list(CONTEXT), "@graph": graph}) + b"\n"


def identifier(name: str) -> str:
    """Return the `@id` of a member: its name as a relative URI."""
    return quote(name, safe="/")


def _references(names: Iterable[str]) -> list[Entity]:
    return [{"@id": name} for name in names]


def _root(record: RunRecord, name: str, names: Iterable[str], steps: Sequence[Entity]) -> Entity:
    manifest = record.manifest
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": f"run {name}",
        "description": f"A recorded training run: {manifest.step} steps, status {record.status}, tier {manifest.tier}.",
        "identifier": manifest.identity,
        "datePublished": manifest.updated,
        "license": LICENSE,
        "conformsTo": {"@id": PROFILE},
        "hasPart": _references([*(identifier(one) for one in names), *(step["@id"] for step in steps)]),
        "mentions": {"@id": ACTION},
    }


def _file(member: Member) -> Entity:
    suffix = f".{member.name.rpartition('.')[2]}"
    entity: Entity = {
        "@id": identifier(member.name),
        "@type": ["File", "SoftwareSourceCode"] if member.name == SOURCE else "File",
        "name": _ABOUT.get(member.name, member.name.rpartition("/")[2]),
        "contentSize": str(member.size),
        "sha256": member.sha256.removeprefix("sha256:"),
        "encodingFormat": _KINDS.get(suffix, "application/octet-stream"),
    }
    return {**entity, "programmingLanguage": "Python"} if member.name == SOURCE else entity


def _checkpoints(members: Sequence[Member]) -> list[Entity]:
    """Make a Dataset of each checkpoint; kept weights are files like others."""
    by_step: dict[int, list[str]] = {}
    for member in members:
        path = member.name.removeprefix(RUN)
        step = step_of(path) if path != member.name and path.count("/") == 2 else None
        if step is not None:
            by_step.setdefault(step, []).append(member.name)
    return [
        {
            "@id": f"{RUN}{layout.CHECKPOINTS}/{step_name(step)}/",
            "@type": "Dataset",
            "name": f"checkpoint before step {step}",
            "hasPart": _references(identifier(name) for name in names),
        }
        for step, names in sorted(by_step.items())
    ]


def _tools(record: RunRecord) -> Iterator[Entity]:
    environment = record.document(layout.ENVIRONMENT) if record.has(layout.ENVIRONMENT) else {}
    python = environment.get("python")
    torch = environment.get("distributions", {}).get("torch")
    needs = [("Python", python), ("torch", torch)]
    known = [(name, facts["version"]) for name, facts in needs if isinstance(facts, dict) and "version" in facts]
    yield {
        "@id": TOOL,
        "@type": "SoftwareApplication",
        "name": "samerun",
        "softwareVersion": record.manifest.samerun or "unknown",
        "softwareRequirements": _references(f"#{name.lower()}" for name, _ in known),
    }
    for name, version in known:
        yield {
            "@id": f"#{name.lower()}",
            "@type": "SoftwareApplication",
            "name": name,
            "softwareVersion": str(version),
        }


def _action(
    record: RunRecord, name: str, files: Sequence[Entity], made: Sequence[Entity], inputs: Sequence[Entity]
) -> Entity:
    manifest, there = record.manifest, {entity["@id"] for entity in files}
    read = [RUN + layout.CONFIG, *sorted(one for one in there if one.startswith(f"{RUN}recipe.submitted."))]
    read += [one for one in (RUN + layout.DATA, RUN + layout.DATA_FILES) if one in there]
    logs = sorted(one for one in there if one.startswith((f"{RUN}{layout.METRICS}.", f"{RUN}{layout.TRAIL}.")))
    entity: Entity = {
        "@id": ACTION,
        "@type": "CreateAction",
        "name": f"training of {name}",
        "instrument": _references([TOOL, *(one for one in (SOURCE,) if one in there)]),
        "object": _references([*read, *(one["@id"] for one in inputs)]),
        "result": _references([*logs, *(one["@id"] for one in made)]),
        "startTime": manifest.created,
        "endTime": manifest.updated,
        "actionStatus": {"@id": f"http://schema.org/{STATUSES.get(record.status, 'ActiveActionStatus')}"},
    }
    is_failed = record.status in (Status.FAILED, Status.INTERRUPTED)
    return {**entity, "error": manifest.reason or "its process died"} if is_failed else entity


def _inputs(record: RunRecord, data: Mapping[str, Sequence[str]]) -> Iterator[Entity]:
    """Name what the run read, with its digest; its files where they are inside."""
    for number, (name, digest) in enumerate(sorted(record.identity.experiment.get("inputs", {}).items()), 1):
        files = _references(identifier(one) for one in data.get(name, ()))
        entity: Entity = {"@id": f"#input-{number}", "@type": "CreativeWork", "name": name, "identifier": str(digest)}
        yield {**entity, "hasPart": files} if files else entity


def _metrics(record: RunRecord) -> Iterator[Entity]:
    for number, (name, value) in enumerate(sorted(record.manifest.metrics.items()), 1):
        yield {"@id": f"#metric-{number}", "@type": "PropertyValue", "name": name, "value": value}
