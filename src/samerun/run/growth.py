"""How an identity grows between the opening of a run and its end: inputs that the loop names, source imported late.

Pure functions over identities; writing them down is session.py's work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from samerun.base.text import plural, short_digests, shown
from samerun.data.diff import content_differences
from samerun.errors import RefusedError
from samerun.record.data import DataRecord
from samerun.record.identity import Identity, Moved, moved
from samerun.record.manifest import Entry
from samerun.record.source import USER, Source
from samerun.record.subject import train_anew

_NAMED: Final = 3


def with_inputs(identity: Identity, facts: Mapping[str, str]) -> Identity:
    """Return the identity with the digests of inputs among its experiment facts."""
    if not facts:
        return identity
    known = identity.experiment.get("inputs", {})
    return Identity({**identity.experiment, "inputs": {**known, **facts}}, identity.platform)


def refuse_moved_inputs(
    recorded: Identity, now: Identity, *, entry: Entry, was: Callable[[], DataRecord], found: DataRecord
) -> None:
    """Refuse (SR-RUN-015) to go on with a run whose inputs are not what they were.

    entry: what started the run. was: reads what data.json says, which is only asked for names of files.
    """
    # A data set in memory was made of what was read: files stand first.
    differences = sorted(moved(recorded, now), key=lambda one: _input_name(one).startswith("dataset/"))
    if not differences:
        return
    names = [_input_name(one) for one in differences]
    bare = [name.partition("/")[2] or name for name in names]
    more = f" and {plural(len(bare) - 1, 'more input')}" if len(bare) > 1 else ""
    before = was()
    raise RefusedError(
        "SR-RUN-015",
        f"{bare[0]}{more}: not what this run read when it began",
        evidence=[
            line
            for name, one in zip(names, differences, strict=True)
            for line in (
                short_digests(f"{name}: {one.old or 'not read'} in the run, {one.new} now"),
                *_changed_files(name, before, found),
            )
        ],
        do=f"put the old content back and give the command again, or begin a run of its own: {train_anew(entry)}",
    )


def _input_name(one: Moved) -> str:
    return one.path.removeprefix('inputs["').removesuffix('"]').removeprefix("inputs.")


def _changed_files(name: str, was: DataRecord, found: DataRecord) -> Iterator[str]:
    """Name the files of a folder that are other ones now, class by class, with counts."""
    if name not in was.folders or name not in found.folders:
        return
    files = content_differences(was.folders[name].files, found.folders[name].files)
    yield f"  {files.in_words()}"
    for kind in files.counts():
        members = [" -> ".join(one) if isinstance(one, tuple) else one for one in getattr(files, kind)]
        if members:
            more = f" and {len(members) - _NAMED} more" if len(members) > _NAMED else ""
            yield f"  {kind}: {', '.join(map(shown, members[:_NAMED]))}{more}"


def not_read(recorded: Identity, facts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of inputs that the run was made from and that a process going on with it did not ask for."""
    return tuple(sorted(set(recorded.experiment.get("inputs", {})) - set(facts)))


def late_labels(source: Source) -> tuple[str, ...]:
    """Return the labels of the files of `source` that were imported late."""
    return tuple(file.label for file in source.of(USER) if file.is_late)


def with_late_imports(identity: Identity, source: Source) -> tuple[Identity, tuple[str, ...]]:
    """Return the identity with the late files of `source`, and the labels of those that are new to it or changed."""
    known = identity.experiment["source"]
    late = {file.label: file.meaning for file in source.of(USER) if file.is_late}
    labels = tuple(sorted(label for label, meaning in late.items() if known[USER].get(label) != meaning))
    if not labels:
        return identity, ()
    experiment = {**identity.experiment, "source": {**known, USER: {**known[USER], **late}}}
    return Identity(experiment, identity.platform), labels
