"""What differs between two records and may be why they part: settings, source, data, arguments, platform, drift. Pure.

The sections of a diff become suspects in words. The sentence that they make is in cause.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import takewhile
from typing import Any, Final

from samerun.base.text import plural
from samerun.judge.cause import Suspect
from samerun.judge.documents import ABSENT
from samerun.record.identity import Moved
from samerun.record.manifest import Manifest
from samerun.record.source_names import OWN, group_of

Rows = Sequence[Mapping[str, Any]]
_LONGEST: Final = 40
_OTHER_LABELS: Final = frozenset({"name", "steps"})
"""Settings that say what a run is called and how far it goes: not worth a word in a cause."""
_NOT_THE_PACKAGE: Final = (".installer", ".reason")
"""What is recorded of a package and says nothing of what is in it."""
_OTHER_VARIABLES: Final = ("variables.SLURM_JOB_",)


def suspects(moved: Sequence[Moved], sections: Mapping[str, Any], a: Manifest, b: Manifest) -> list[Suspect]:
    """List what differs in the facts of the identity, and where a side changed them on the way."""
    experiment = [fact for fact in moved if fact.group == "experiment"]
    found = [
        *_config(experiment, sections["config"]),
        *_source(experiment, sections["source"]),
        *_data(experiment, sections["data"]),
        *_arguments(experiment, sections["environment"]),
        *_others(experiment),
        *_platform([fact for fact in moved if fact.group == "platform"]),
        *_on_the_way(a, b),
    ]
    return list(dict.fromkeys(found))


def beside(sections: Mapping[str, Any], asides: Set[str], moved: Sequence[Moved]) -> list[str]:
    """Say what differs beside the identity: packages and variables that are not in it, settings that are aside."""
    facts = {fact.path for fact in moved}
    tops = {fact.path.split(".")[0] for fact in moved if fact.group == "platform"}
    packages = {
        row["path"].split(".")[1]
        for row in sections["environment"]
        if row["group"] == "packages" and not row["path"].endswith(_NOT_THE_PACKAGE)
    } - tops
    variables = [
        row["path"].removeprefix("variables.")
        for row in sections["environment"]
        if row["group"] == "variables" and row["path"] not in facts and not row["path"].startswith(_OTHER_VARIABLES)
    ]
    settings = [row["path"] for row in sections["config"] if row["path"] in asides and _is_worth_saying(row["path"])]
    return [
        f"{words} differ: {_some(names)}"
        for words, names in (
            ("packages outside of the identity", sorted(packages)),
            ("variables outside of the identity", variables),
            ("settings that are aside", settings),
        )
        if names
    ]


def _is_worth_saying(setting: str) -> bool:
    return setting not in _OTHER_LABELS and not setting.startswith(("checkpoint.", "trail."))


def _config(facts: Sequence[Moved], rows: Rows) -> Iterator[Suspect]:
    origins = {row["path"]: row for row in rows}
    for fact in facts:
        top, _, path = fact.path.partition(".")
        if top == "seed":
            path = "seed"
        elif top != "config":
            continue
        row = origins.get(path, {})
        text = f"config: {path} {_change(fact)}{_origin(row)}"
        yield Suspect(text, path.rsplit(".", 1)[-1])


def _origin(row: Mapping[str, Any]) -> str:
    """Say who set the value, preferring the side that did not take it as it came."""
    for side, name in (("b_origin", ""), ("a_origin", " in a")):
        layer, _, place = str(row.get(side) or "").partition(" ")
        if layer == "set":
            return f", set by {place.split(' ')[0] or layer}{name}"
    layer, _, place = str(row.get("b_origin") or "").partition(" ")
    return f", from {place}" if layer == "recipe" and place else ""


def _source(facts: Sequence[Moved], rows: Rows) -> Iterator[Suspect]:
    if not any(fact.drift_group == "source" for fact in facts):
        return
    counting = [row for row in rows if row["counts"]]
    own = [row for row in counting if group_of(row["path"]) == OWN]
    for row in counting:
        if row not in own:
            yield Suspect(f"source: {row['path'].partition('/')[2]} {_place(row)}")
    if own or not counting:
        what = f"samerun itself ({plural(len(own), 'file')})" if own else "files that are not in the snapshots"
        yield Suspect(f"source: {what} changed")


def _place(row: Mapping[str, Any]) -> str:
    if row["change"] != "changed":
        return {"added": "is in b only", "removed": "is in a only"}[row["change"]]
    more = f" and {plural(row['more'], 'more place')}" if row.get("more") else ""
    return f"{row.get('where') or 'changed'}{more}"


def _data(facts: Sequence[Moved], rows: Rows) -> Iterator[Suspect]:
    moved = [fact.path for fact in facts if fact.path.split(".")[0].split("[")[0] == "inputs"]
    if not moved:
        return
    if not rows:
        yield Suspect(f"data: {_some(moved)} changed")
    names = [row["path"].removeprefix("inputs.") for row in rows]
    has_files = any(name.startswith("input/") for name in names)
    for name, row in zip(names, rows, strict=True):
        # A data set in memory was made of what was read: it is named where no file that was read differs.
        if not (has_files and name.startswith("dataset/")):
            yield Suspect(f"data: {_files(name, row)}")


def _files(name: str, row: Mapping[str, Any]) -> str:
    kind, _, rest = name.partition("/")
    bare = f"the data set {rest}" if kind == "dataset" else rest or name
    files = row.get("files")
    if files is None:
        sides = {ABSENT: "is in b only"}.get(row["a"]), {ABSENT: "is in a only"}.get(row["b"])
        return f"{bare} {sides[0] or sides[1] or 'changed'}"
    moved = [" -> ".join(pair) for pair in files["moved"]]
    touched = [*files["changed"], *files["added"], *files["removed"], *moved]
    return f"{_some(touched)} of {bare} changed ({len(touched)} of {plural(files['of'], 'file')})"


def _arguments(facts: Sequence[Moved], rows: Rows) -> Iterator[Suspect]:
    """Name the arguments of the script, except where all that differs in them is the value of a changed setting."""
    told = {_spell(value) for fact in facts for value in (fact.old, fact.new)}
    for row in rows:
        if row["group"] != "arguments":
            continue
        a, b = row["a"], row["b"]
        other = [word for word in [*a, *b] if (word in a) != (word in b)]
        if not other or any(word.rpartition("=")[2] not in told for word in other):
            yield Suspect(f"arguments: {_words(a, b)} -> {_words(b, a)}")


def _words(shown: Sequence[str], beside: Sequence[str]) -> str:
    """Spell a command line; of a long one, what follows the last word that both sides begin with."""
    text = " ".join(shown)
    if len(text) > _LONGEST:
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(shown, beside, strict=False)))
        text = " ".join(["...", *shown[max(alike - 1, 0) :]]) if alike > 1 else text
    return _spell(text or "(none)")


def _others(facts: Sequence[Moved]) -> Iterator[Suspect]:
    for fact in facts:
        top = fact.path.split(".")[0].split("[")[0]
        if top not in ("config", "seed", "source", "inputs"):
            yield Suspect(f"{top}: {fact.path} {_change(fact)}")


def _platform(facts: Sequence[Moved]) -> Iterator[Suspect]:
    for fact in facts:
        if fact.drift_group == "environment":
            yield Suspect(f"environment: {fact.path.removeprefix('variables.')} {_change(fact)}")
    others = [fact for fact in facts if fact.drift_group != "environment"]
    if others:
        more = f" and {plural(len(others) - 1, 'more fact')}" if len(others) > 1 else ""
        yield Suspect(f"platform: {others[0].path} {_change(others[0])}{more}; other platform")


def _on_the_way(a: Manifest, b: Manifest) -> Iterator[Suspect]:
    sides = {"a": a, "b": b}
    for side, manifest in sides.items():
        for segment in manifest.segments:
            if segment.drift:
                text = f"drift: {side} went on under other facts at step {segment.from_step}: {_some(segment.drift)}"
                yield Suspect(text, from_step=segment.from_step)
        if manifest.parent is not None and (a.parent is None or b.parent is None):
            yield Suspect(f"fork: {side} began from {manifest.parent.run} at step {manifest.parent.step}")


def _change(fact: Moved) -> str:
    if fact.kind == "added":
        return f"(not set) -> {_spell(fact.new)}"
    if fact.kind == "removed":
        return f"{_spell(fact.old)} -> (not set)"
    return f"{_spell(fact.old)} -> {_spell(fact.new)}"


def _spell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")
