"""How a recorded run is made again: from its own settings, with its own code (a proof) or with the code that is here.

The code of its snapshot runs only where it is trusted, and only where it is whole. The command itself is made.py's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from samerun.base.digest import sha256, sha256_file
from samerun.base.text import plural
from samerun.errors import MissingError, RefusedError
from samerun.record import layout
from samerun.record.bundle.marker import read_marker
from samerun.record.local import arguments_of, values_of
from samerun.record.reader import RunRecord
from samerun.record.restore import PLACES as RESTORED
from samerun.record.source import place_of
from samerun.record.source_read import read_snapshot, read_source
from samerun.rerun.made import Making
from samerun.rerun.origin import USER_PLACE, Origin, config_of, in_a_run, origin_of

RECIPE_FILE: Final = "recipe.json"
"""Stands for the recorded settings until they are written down."""


class CodeIsLost(MissingError):
    """The code that made a run is not here, and its snapshot does not hold it as it was."""


def making_of_run(record: RunRecord, *, trust: bool = False) -> Making:
    """Return how a recorded run is made again, from its own settings and its own code.

    Raises what `code_of_run` does.
    """
    return _with_settings(code_of_run(record, trust=trust), record)


def code_of_run(record: RunRecord, *, trust: bool = False) -> Making:
    """Return where the code of a recorded run is, and what of it and of its data is not here, without settings.

    Raises CodeIsLost SR-VERIFY-004 where that code is neither here nor whole in its snapshot (a secret was left out),
    RefusedError SR-VERIFY-003 where its snapshot is not the code that is here and is not trusted, and what `origin_of`
    raises.
    """
    origin = origin_of(record, trust=trust, may_be_gone=True)
    snapshot = other_code(record, origin.root)
    data = _brought_data(record, origin.root)
    whole = _recorded_code(record, origin.root) if snapshot or data else {}
    if snapshot and not trust:
        raise RefusedError(
            "SR-VERIFY-003",
            f"{record.name} was made by other code than what is here",
            evidence=[f"its snapshot has another {label}" for label in sorted(snapshot)[:5]],
            do="add --trust to run the code of its snapshot, or verify the run where that code is",
        )
    return replace(_code(record, origin), snapshot=whole, data=data)


def making_here(record: RunRecord, *, trust: bool = False) -> Making:
    """Return how a recorded run is made again with whatever code is here now; its snapshot is not needed.

    Raises ConfigError where today's schema does not take the recorded settings, and what `origin_of` raises.
    """
    return _with_settings(_code(record, origin_of(record, trust=trust)), record)


def making_restored(record: RunRecord, root: Path, *, home: Path, settings: Sequence[str] = ()) -> Making:
    """Return how a recorded run is made again from its source restored in `root`, started in the folder `home`.

    The settings are the stored ones under `settings`: no code of the project is loaded here to check them. Whether that
    code may run was decided before. Raises what `origin_of` does.
    """
    origin = origin_of(record, trust=True, root=root)
    seed, name = int(record.manifest.seed), record.manifest.name
    if origin.script is not None:
        return Making(str(origin.script), (), arguments_of(record), project=root, home=home, seed=seed)
    # The seed may be too large for JSON; it is given by itself.
    values = {key: value for key, value in values_of(record, settings).items() if key != "seed"}
    document = json.dumps(values, indent=2, ensure_ascii=False).encode()
    return Making(
        "recipe.json", settings=tuple(settings), project=root, home=home, seed=seed, document=document, name=name
    )


def _brought_data(record: RunRecord, root: Path) -> dict[str, Path]:
    """List the data that came with a run in its bundle, by path in the project; nothing where it is all here."""
    marker = read_marker(record.folder)
    brought = {} if marker is None else marker.data
    if all((root / label).is_file() and sha256_file(root / label) == digest for label, digest in brought.items()):
        return {}
    return {label: (record.folder / layout.UNPACKED_DATA / label).absolute() for label in brought}


def _code(record: RunRecord, origin: Origin) -> Making:
    seed = int(record.manifest.seed)
    made = Making(RECIPE_FILE, project=origin.root, home=Path.cwd(), seed=seed)
    return made if origin.script is None else replace(made, recipe=str(origin.script))


def _with_settings(made: Making, record: RunRecord) -> Making:
    if made.recipe != RECIPE_FILE:
        return replace(made, arguments=arguments_of(record))
    assert made.project is not None
    # Where the code is in the snapshot alone, so are the parts whose schema the settings would be resolved with.
    plain = dict(values_of(record) if made.snapshot else config_of(record, (), made.project).plain)
    # The seed may be too large for JSON, which holds it as text; it is given by itself.
    plain.pop("seed", None)
    return replace(made, document=json.dumps(plain, indent=2, ensure_ascii=False).encode())


def other_code(record: RunRecord, root: Path) -> list[str]:
    """List the user's files that are not here with the same bytes."""
    return [label for label, file in user_files(record) if not _is_here(place_of(label, root), file["content"])]


def other_files(record: RunRecord, root: Path) -> list[str]:
    """List the files that a restore would write, code or not, and that are not here with the same bytes."""
    rows = ((name.partition("/"), file) for name, file in read_source(record.folder)["files"].items())
    return sorted(
        label
        for (place, _, label), file in rows
        if place in RESTORED and not _is_own(place_of(label, root), root, file["content"])
    )


def _is_own(path: Path | None, root: Path, digest: str) -> bool:
    return path is not None and not in_a_run(path, root) and _is_here(path, digest)


def user_files(record: RunRecord) -> list[tuple[str, Mapping[str, Any]]]:
    """List the user's files of a record: path in the project, and what source.json says of it."""
    files_by_name = read_source(record.folder)["files"]
    return [
        (name.removeprefix(USER_PLACE), files_by_name[name])
        for name in sorted(files_by_name)
        if name.startswith(USER_PLACE)
    ]


def _is_here(path: Path | None, digest: str) -> bool:
    return path is not None and sha256_file(path) == digest


def _recorded_code(record: RunRecord, root: Path) -> dict[str, bytes]:
    """Return the user's files with the very bytes that made the run: what is here, else what the snapshot holds.

    A file that was stored without a secret is other code: running it would prove nothing about the run.
    """
    stored = read_snapshot(record.folder)
    whole: dict[str, bytes] = {}
    lost: list[str] = []
    for label, file in user_files(record):
        digest, kept, here = str(file["content"]), stored.get(USER_PLACE + label), place_of(label, root)
        # Read once: the bytes that were checked are those that are kept.
        found = None if here is None else here.read_bytes()
        if found is not None and sha256(found) == digest:
            whole[label] = found
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
