"""The distributions of a run as a CycloneDX bill of materials, by cyclonedx-python-lib (extra `sbom`).

Equal records give equal bytes: the serial number follows from the record, and the time is that of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256
from samerun.base.places import LOCAL_PATH
from samerun.errors import MissingError
from samerun.record.constraints import VCS
from samerun.record.reader import RunRecord

if TYPE_CHECKING:
    from cyclonedx.model import Property
    from cyclonedx.model.component import Component

PROPERTY = "samerun:"


def sbom_text(record: RunRecord, environment: Mapping[str, Any]) -> str:
    """Return the bill of materials as CycloneDX 1.6 JSON. Raises MissingError SR-EXPORT-001 without the library."""
    try:
        from cyclonedx.model.bom import Bom, BomMetaData
        from cyclonedx.output.json import JsonV1Dot6
    except ImportError as problem:
        raise MissingError(
            "SR-EXPORT-001",
            "a bill of materials needs cyclonedx-python-lib, which is not installed",
            evidence=[str(problem)],
            do="pip install 'samerun[sbom]'",
        ) from problem
    manifest = record.manifest
    facts = f"{record.name}:{manifest.identity}:{sha256(canonical_bytes(dict(environment)))}"
    root = _run(record, environment)
    components = [_component(name, facts) for name, facts in sorted(environment["distributions"].items())]
    bom = Bom(
        components=components,
        serial_number=uuid5(NAMESPACE_URL, PROPERTY + facts),
        metadata=BomMetaData(component=root, timestamp=datetime.fromisoformat(manifest.created)),
    )
    bom.register_dependency(root, components)
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _run(record: RunRecord, environment: Mapping[str, Any]) -> Component:
    """Describe what all of it was used by."""
    from cyclonedx.model.component import Component, ComponentType

    python, system = environment.get("python", {}), environment.get("system", {})
    facts = {
        "python": f"{python.get('implementation')} {python.get('version')}",
        "system": f"{system.get('kind')} {system.get('machine')}",
    }
    return Component(
        name=record.manifest.name,
        version=record.manifest.identity,
        type=ComponentType.APPLICATION,
        bom_ref=record.name,
        properties=list(_properties(facts)),
    )


def _component(name: str, facts: Mapping[str, Any]) -> Component:
    from cyclonedx.model.component import Component, ComponentType
    from packageurl import PackageURL

    origin = facts.get("origin")
    purl = PackageURL("pypi", None, name, facts["version"], _qualifiers(origin if isinstance(origin, dict) else {}))
    told = {"record": facts.get("record"), "origin": origin.get("kind") if isinstance(origin, dict) else None}
    return Component(
        name=name,
        version=facts["version"],
        type=ComponentType.LIBRARY,
        bom_ref=purl.to_string(),
        purl=purl,
        properties=list(_properties(told)),
    )


def _qualifiers(origin: Mapping[str, Any]) -> dict[str, str]:
    """Say where a distribution that is in no index came from, as package URLs do."""
    url = str(origin.get("url"))
    if not origin or url == LOCAL_PATH or origin.get("kind") not in ("vcs", "archive"):
        return {}
    if origin["kind"] == "archive":
        return {"download_url": url}
    return {"vcs_url": f"{origin['vcs']}+{url}@{origin.get('commit')}"} if origin.get("vcs") in VCS else {}


def _properties(facts: Mapping[str, Any]) -> Iterator[Property]:
    from cyclonedx.model import Property

    for name, value in sorted(facts.items()):
        if value is not None:
            yield Property(name=PROPERTY + name, value=str(value))
