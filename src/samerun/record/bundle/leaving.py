"""Which files of a run folder may leave it: a closed list. A name that is not on it stays, whatever it holds.

Packing and unpacking ask the same list, so a bundle can bring nothing into a run folder that no run writes.
"""

from __future__ import annotations

import re
from typing import Final

from samerun.checkpoint import format as checkpoint
from samerun.errors import UsageError
from samerun.record import layout

DOCUMENTS: Final = frozenset(
    {
        layout.MANIFEST,
        layout.IDENTITY,
        layout.CONFIG,
        layout.ENVIRONMENT,
        layout.SOURCE,
        layout.SOURCE_PATCH,
        layout.SOURCE_FILES,
        layout.DATA,
        layout.DATA_FILES,
        layout.MARKS,
        layout.DRIFT,
        layout.VERIFICATION,
    }
)
STAYS: Final = frozenset({layout.LOCAL, layout.LOCK, layout.LOCK_OWNER, layout.UNPACKED})
"""What is of one machine: never packed, and not worth a word."""
LOGS: Final = frozenset({*layout.LOGS, layout.HOOKS_DONE})

_SUBMITTED: Final = re.compile(r"recipe\.submitted\.[a-z0-9]{1,8}")
_ATTEMPT: Final = re.compile(r"[0-9]{4,9}")
_CHUNK: Final = re.compile(r"[0-9a-f]{64}\.safetensors")


def may_leave(path: str) -> bool:
    """Say whether a file of a run folder, by its path inside it, is one that a run writes and that may leave."""
    parts = path.split("/")
    if len(parts) == 1:
        return path in DOCUMENTS or _SUBMITTED.fullmatch(path) is not None or _is_log(path)
    if parts[0] == layout.EVALUATIONS:
        return len(parts) == 2 and parts[1].endswith(".json") and _is_name(parts[1].removesuffix(".json"))
    if parts[0] == layout.ATTEMPTS:
        return len(parts) == 3 and bool(_ATTEMPT.fullmatch(parts[1])) and _is_kept(parts[2])
    return parts[0] == layout.CHECKPOINTS and _is_of_checkpoints(parts[1:])


def step_of(path: str) -> int | None:
    """Return the step of the checkpoint (or of kept weights) that a file belongs to, None for every other file."""
    parts = path.split("/")
    if parts[0] != layout.CHECKPOINTS or len(parts) < 3:
        return None
    return checkpoint.parse_step(parts[2] if parts[1] == checkpoint.WEIGHTS and len(parts) == 4 else parts[1])


def is_chunk(path: str) -> bool:
    """Say whether a file is an immutable piece that checkpoints share."""
    return path.startswith(f"{layout.CHECKPOINTS}/{checkpoint.CHUNKS}/")


def digests_path(step: int) -> str:
    """Path of the leaf digests that a checkpoint leaves which is not there."""
    return f"{layout.CHECKPOINTS}/{checkpoint.DIGESTS}/{checkpoint.step_name(step)}.json"


def _is_log(name: str) -> bool:
    try:
        return layout.parse_log_name(name)[0] in LOGS
    except ValueError:
        return False


def _is_name(name: str) -> bool:
    try:
        layout.check_name(name)
    except UsageError:
        return False
    return True


def _is_kept(name: str) -> bool:
    return layout.kept_digest(name) is not None and name.partition(".")[0] in LOGS


def _is_of_checkpoints(parts: list[str]) -> bool:
    if parts[0] == checkpoint.DIGESTS:
        is_json = len(parts) == 2 and parts[1].endswith(".json")
        return is_json and checkpoint.parse_step(parts[1].removesuffix(".json")) is not None
    if parts[0] == checkpoint.CHUNKS:
        return len(parts) == 2 and _CHUNK.fullmatch(parts[1]) is not None
    inner = parts[1:] if parts[0] == checkpoint.WEIGHTS else parts
    return len(inner) == 2 and checkpoint.parse_step(inner[0]) is not None and _is_of_checkpoint(inner[1])


def _is_of_checkpoint(name: str) -> bool:
    if name in (checkpoint.INDEX, checkpoint.STATE):
        return True
    component = name.removesuffix(".safetensors")
    if component == name:
        return False
    try:
        checkpoint.check_components([component])
    except UsageError:
        return False
    return True
