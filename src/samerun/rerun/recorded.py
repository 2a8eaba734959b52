"""How a recorded run is made again: from its own settings, with its own code (a proof) or with the code that is here.

The code of its snapshot runs only where it is trusted, and only where it is whole. The command itself is made.py's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samerun.base.digest import sha256
from samerun.base.text import plural
from samerun.errors import MissingError, RefusedError
from samerun.record.local import arguments_of
from samerun.record.reader import RunRecord
from samerun.record.source import place_of
from samerun.record.source_read import read_snapshot, read_source
from samerun.rerun.made import Making
from samerun.rerun.origin import USER_PLACE, Origin, config_of, origin_of


class CodeIsLost(MissingError):
    """The code that made a run is not here, and its snapshot does not hold it as it was."""


def making_of_run(record: RunRecord, *, trust: bool = False) -> Making:
    """Return how a recorded run is made again, from its own settings and its own code.

    Raises CodeIsLost SR-VERIFY-004 where that code is neither here nor whole in its snapshot (a secret was left out),
    RefusedError SR-VERIFY-003 where its snapshot is not the code that is here and is not trusted, and what `origin_of`
    raises.
    """
    origin = origin_of(record, trust=trust)
    snapshot = _other_code(record, origin.root)
    whole = _recorded_code(record, origin.root) if snapshot else {}
    if snapshot and not trust:
        raise RefusedError(
            "SR-VERIFY-003",
            f"{record.name} was made by other code than what is here",
            evidence=[f"its snapshot has another {label}" for label in sorted(snapshot)[:5]],
            do="add --trust to run the code of its snapshot, or verify the run where that code is",
        )
    return _making(record, origin, whole)


def making_here(record: RunRecord, *, trust: bool = False) -> Making:
    """Return how a recorded run is made again with whatever code is here now; its snapshot is not needed.

    Raises ConfigError where today's schema does not take the recorded settings, and what `origin_of` raises.
    """
    return _making(record, origin_of(record, trust=trust), {})


def _making(record: RunRecord, origin: Origin, snapshot: Mapping[str, bytes]) -> Making:
    seed = int(record.manifest.seed)
    if origin.script is not None:
        arguments = arguments_of(record)
        return Making(
            str(origin.script), (), arguments, project=origin.root, home=Path.cwd(), seed=seed, snapshot=snapshot
        )
    config = config_of(record, (), origin.root)
    document = json.dumps(dict(config.plain), indent=2, ensure_ascii=False).encode()
    return Making("recipe.json", project=origin.root, home=Path.cwd(), seed=seed, document=document, snapshot=snapshot)


def _other_code(record: RunRecord, root: Path) -> list[str]:
    """List the user's files that are not here with the same bytes."""
    return [label for label, file in _user_files(record) if not _is_here(place_of(label, root), file["content"])]


def _user_files(record: RunRecord) -> list[tuple[str, Mapping[str, Any]]]:
    """List the user's files of a record: path in the project, and what source.json says of it."""
    files_by_name = read_source(record.folder)["files"]
    return [
        (name.removeprefix(USER_PLACE), files_by_name[name])
        for name in sorted(files_by_name)
        if name.startswith(USER_PLACE)
    ]


def _is_here(path: Path | None, digest: str) -> bool:
    return path is not None and sha256(path.read_bytes()) == digest


def _recorded_code(record: RunRecord, root: Path) -> dict[str, bytes]:
    """Return the user's files with the very bytes that made the run: what is here, else what the snapshot holds.

    A file that was stored without a secret is other code: running it would prove nothing about the run.
    """
    stored = read_snapshot(record.folder)
    whole: dict[str, bytes] = {}
    lost: list[str] = []
    for label, file in _user_files(record):
        digest, kept, here = str(file["content"]), stored.get(USER_PLACE + label), place_of(label, root)
        if here is not None and _is_here(here, digest):
            whole[label] = here.read_bytes()
        elif kept is not None and sha256(kept) == digest:
            whole[label] = kept
        else:
            lost.append(f"{label}: {_why_lost(file)}")
    if lost:
        raise CodeIsLost(
            "SR-VERIFY-004",
            f"the code that made {record.name} is not here, and its snapshot does not hold it as it was",
            evidence=lost,
            do="verify the run where its code is",
        )
    return whole


def _why_lost(file: Mapping[str, Any]) -> str:
    if file["num_redacted"]:
        return f"stored without {plural(file['num_redacted'], 'secret')} that stood in it"
    return "stored with other bytes" if file["is_stored"] else "not stored"
