"""Names and documents of a checkpoint, format version 1; the page is docs/formats/checkpoint.md.

`checkpoints/step-00000012/` holds `<component>.safetensors`, `state.json` and, written last, `checkpoint.json`. No
name is ever taken from a file: each is computed from the component's name and compared. Reads and writes no disk.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from samerun.errors import DamageError, UsageError

FORMAT: Final = 1
INDEX: Final = "checkpoint.json"
STATE: Final = "state.json"
DIGESTS: Final = "digests"
"""Folder of the leaf digests that deleted checkpoints leave, `step-00000012.json` each."""
WEIGHTS: Final = "weights"
"""Folder of kept models, each in the format of a checkpoint."""
CHUNKS: Final = "chunks"
"""Folder of immutable pieces shared by checkpoints, named by SHA-256."""

_STEP: Final = re.compile(r"step-(\d{8,18})")
_ASIDE: Final = re.compile(r"\.(step-\d{8,18})\.aside")
_COMPONENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_XXH3: Final = re.compile(r"xxh3:[0-9a-f]{32}")


def step_name(step: int) -> str:
    """Return the folder name of a step: eight digits, more where the number needs them."""
    return f"step-{step:08d}"


def parse_step(name: str) -> int | None:
    """Return the step of a folder name, None for every other name (`step-000000012` among them)."""
    found = _STEP.fullmatch(name)
    if found is None or step_name(int(found[1])) != name:
        return None
    return int(found[1])


def aside_name(step: int) -> str:
    """Return the hidden name that a checkpoint bears while another one of the same step takes its place."""
    return f".{step_name(step)}.aside"


def parse_aside(name: str) -> int | None:
    """Return the step of an `aside_name`, None for every other name."""
    found = _ASIDE.fullmatch(name)
    return None if found is None else parse_step(found[1])


def tensor_file(component: str) -> str:
    """Return the file name of a component's tensors."""
    return f"{component}.safetensors"


def check_components(names: Collection[str]) -> None:
    """Raise UsageError (SR-CHECKPOINT-001) where a name cannot be a file everywhere, or two differ by case only."""
    seen: dict[str, str] = {}
    for name in names:
        twin = seen.setdefault(name.lower(), name)
        if twin != name or not _COMPONENT.fullmatch(name) or name.endswith("."):
            why = f"{twin!r} differs from it by case only" if twin != name else "it must be letters, digits, _ . -"
            raise UsageError(
                "SR-CHECKPOINT-001",
                f"{name[:120]!r} cannot name a component of a checkpoint",
                evidence=[why],
                do="track the object under another name",
            )


@dataclass(frozen=True)
class FileFacts:
    """Size and digest of one file."""

    size: int
    sha256: str


@dataclass(frozen=True)
class ComponentFacts:
    """What the index says of one component."""

    digest: str
    """Its `digest_tree`, as the trail's row of that step has it."""
    leaves: Mapping[str, str]
    """Its `digest_leaves`."""
    is_module: bool = False
    chunks: tuple[str, ...] = ()
    """Names (`sha256:...`) of its immutable pieces, in order."""


@dataclass(frozen=True)
class Index:
    """The content of `checkpoint.json`."""

    step: int
    identity: str
    components: Mapping[str, ComponentFacts]
    files: Mapping[str, FileFacts]
    logs: Mapping[str, Any] = field(default_factory=dict)
    extra: Any = None

    def document(self) -> dict[str, Any]:
        """Return the JSON document, to be sealed."""
        return {
            "format": FORMAT,
            "step": self.step,
            "identity": self.identity,
            "components": {name: _component_document(facts) for name, facts in self.components.items()},
            "files": {name: {"size": facts.size, "sha256": facts.sha256} for name, facts in self.files.items()},
            "logs": dict(self.logs),
            "extra": self.extra,
        }


def _component_document(facts: ComponentFacts) -> dict[str, Any]:
    return {
        "digest": facts.digest,
        "leaves": dict(facts.leaves),
        "is_module": facts.is_module,
        "chunks": list(facts.chunks),
    }


def parse_index(document: Mapping[str, Any], step: int, where: str) -> Index:
    """Return the index of an unsealed document, every field checked; `step` is what its folder is called.

    Raises DamageError: SR-CHECKPOINT-011 for another format version, -012 for fields that cannot be.
    """
    if document.get("format") != FORMAT:
        raise DamageError(
            "SR-CHECKPOINT-011",
            f"{where} has format version {document.get('format')!r:.40}",
            evidence=[f"this version of samerun reads versions 1 to {FORMAT}"],
            do="read it with the version of samerun that wrote it (environment.json names it)",
        )
    try:
        components = {name: _parse_component(facts) for name, facts in document["components"].items()}
        files = {name: _parse_file(facts) for name, facts in document["files"].items()}
        check_components(components)
        _demand(document["step"] == step, f"it is of step {document['step']!r:.40}, its folder is called otherwise")
        _demand(isinstance(document["identity"], str), "its identity is no text")
        _demand(isinstance(document["logs"], dict), "its logs are no table")
        allowed = {STATE, *map(tensor_file, components)}
        _demand(STATE in files, f"it lists no {STATE}")
        _demand(set(files) <= allowed, f"it lists files that are no part of it: {sorted(set(files) - allowed)!r:.200}")
        return Index(step, document["identity"], components, files, document["logs"], document["extra"])
    except (KeyError, TypeError, AttributeError, ValueError, UsageError) as problem:
        raise index_damage(where, str(problem)) from problem


def _parse_component(facts: Any) -> ComponentFacts:
    _demand(bool(_XXH3.fullmatch(facts["digest"])), "a component's digest is none")
    _demand(all(_XXH3.fullmatch(value) for value in facts["leaves"].values()), "a leaf's digest is none")
    _demand(all(_DIGEST.fullmatch(name) for name in facts["chunks"]), "a chunk's name is no digest")
    _demand(isinstance(facts["is_module"], bool), "is_module is neither true nor false")
    return ComponentFacts(facts["digest"], dict(facts["leaves"]), facts["is_module"], tuple(facts["chunks"]))


def _parse_file(facts: Any) -> FileFacts:
    _demand(type(facts["size"]) is int and facts["size"] >= 0, "a file's size is no count of bytes")
    _demand(bool(_DIGEST.fullmatch(facts["sha256"])), "a file's digest is none")
    return FileFacts(facts["size"], facts["sha256"])


def _demand(holds: bool, why: str) -> None:
    if not holds:
        raise ValueError(why)


def index_damage(where: str, why: str) -> DamageError:
    """Return the error for an index that is whole JSON but cannot be one."""
    return DamageError(
        "SR-CHECKPOINT-012", f"{where} cannot be the index of this checkpoint", evidence=[why], do=RESTORE
    )


def file_damage(where: str, why: str, *evidence: str) -> DamageError:
    """Return the error for a file that is not what the index says."""
    return DamageError("SR-CHECKPOINT-010", f"{where}: {why}", evidence=evidence, do=RESTORE)


RESTORE: Final = "resume with --fallback (the newest good checkpoint), or restore the file from a copy"
