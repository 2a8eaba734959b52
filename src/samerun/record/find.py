"""Finding runs: all of a folder, or the one that a text names on the command line.

RUN is a folder, a name, the beginning of a folder's name or of an identity, `@last` or `@last~1`. A text that
fits several runs lists them.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from samerun.base.text import did_you_mean
from samerun.errors import DamageError, MissingError, NoMatchError, UsageError
from samerun.record import layout
from samerun.record.reader import RunRecord, is_run_folder

_LAST: Final = re.compile(r"@last(~(?P<back>[0-9]{1,6}))?")
_PREFIX: Final = re.compile(r"[0-9a-f]{4,16}")
_LISTED: Final = 20


def find_runs(runs: Path) -> list[RunRecord]:
    """List the runs of a folder, the oldest first (by the time their folders were made, then by name).

    A run whose manifest is damaged stands first; it raises when its manifest is asked for, and hides no other.
    """
    return sorted(_records(runs), key=lambda record: (_text(record, "created"), record.name))


def find_run(text: str, runs: Path) -> RunRecord:
    """Find the one run that `text` names.

    Raises UsageError SR-RECORD-032 listing the runs where it fits several, NoMatchError SR-RECORD-031 where it fits
    none, NoMatchError SR-RECORD-030 and DamageError as RunRecord.open does.
    """
    last = _LAST.fullmatch(text)
    if last is not None:
        return _last(text, int(last["back"] or 0), runs)
    if "\0" in text or not text:
        raise _none(text, runs)
    for folder in (Path(text), runs / text):
        if is_run_folder(folder) or ("/" in text and folder.is_dir()):
            return RunRecord.open(folder)
    records = find_runs(runs)
    # A whole name stands above the same letters as the beginning of a longer one.
    is_name = any(_label(record) == text for record in records)
    found = [one for one in records if _fits(one, text) or (not is_name and one.name.startswith(text))]
    if not found:
        raise _none(text, runs)
    if len(found) > 1:
        raise _several(text, found)
    return RunRecord.open(found[0].folder)


def _records(runs: Path) -> list[RunRecord]:
    if not runs.is_dir():
        return []
    return [RunRecord(entry) for entry in runs.iterdir() if not entry.name.startswith(".") and is_run_folder(entry)]


def _text(record: RunRecord, key: str) -> str:
    try:
        value = getattr(record.manifest, key)
    except (DamageError, MissingError):
        return ""
    return str(value)


def _last(text: str, back: int, runs: Path) -> RunRecord:
    # The run that something happened to most recently: it was started, resumed, stopped or came to its end.
    ordered = sorted(find_runs(runs), key=lambda record: _text(record, "updated"))
    if back >= len(ordered):
        raise NoMatchError(
            "SR-RECORD-031",
            f"no run matches {text!r}",
            evidence=[f"{runs} holds {len(ordered)} run(s)"],
            do="samerun ls",
        )
    return RunRecord.open(ordered[-1 - back].folder)


def _label(record: RunRecord) -> str | None:
    parts = layout.split_folder_name(record.name)
    return None if parts is None else parts[0]


def _fits(record: RunRecord, text: str) -> bool:
    parts = layout.split_folder_name(record.name)
    if _label(record) == text:
        return True
    if _PREFIX.fullmatch(text) is None:
        return False
    if parts is not None and parts[1].startswith(text):
        return True
    # Inputs and late imports move the identity after the folder was named.
    return _text(record, "identity").startswith(text) or _text(record, "opening").startswith(text)


def _several(text: str, found: Sequence[RunRecord]) -> UsageError:
    shown = [str(record.folder) for record in found[:_LISTED]]
    if len(found) > _LISTED:
        shown.append(f"and {len(found) - _LISTED} more")
    return UsageError(
        "SR-RECORD-032",
        f"{text!r} matches {len(found)} runs",
        evidence=shown,
        do=f"name one of them by its folder, for example {found[-1].folder}",
    )


def _none(text: str, runs: Path) -> NoMatchError:
    records = find_runs(runs)
    known = {record.name for record in records}
    known |= {label for record in records if (label := _label(record)) is not None}
    hint = did_you_mean(text, sorted(known)[:_LISTED]) if known else "it holds no runs"
    return NoMatchError("SR-RECORD-031", f"no run matches {text!r}", evidence=[f"in {runs}: {hint}"], do="samerun ls")
