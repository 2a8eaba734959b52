"""The distributions of a run as pins that pip understands, and by name what cannot be pinned and why.

A record may come from anybody and pip would act on its lines, so each is read back as the requirement that it must be.
Nothing is asked of an index here: pylock.toml and installing are in rerun/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from samerun.base.places import LOCAL_PATH
from samerun.record import layout
from samerun.record.distributions import normal_name
from samerun.record.manifest import check_format, malformed
from samerun.record.reader import RunRecord

VCS: Final = frozenset({"git", "hg", "svn", "bzr"})
_HASHES: Final = ("sha256", "sha384", "sha512")


@dataclass(frozen=True)
class Pin:
    """One distribution: the line that pins it, or why there is none."""

    name: str
    version: str
    line: str | None
    why: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        return {"name": self.name, "version": self.version, "why": self.why}


def read_environment(record: RunRecord) -> dict[str, Any]:
    """Read environment.json of a run. Raises DamageError where its distributions are not what they must be."""
    document = record.document(layout.ENVIRONMENT)
    where = str(record.folder / layout.ENVIRONMENT)
    check_format(document, "samerun.environment", where)
    found = document.get("distributions")
    if not isinstance(found, dict) or not all(_is_distribution(facts) for facts in found.values()):
        raise malformed(where, "distributions are not named versions")
    return document


def _is_distribution(facts: object) -> bool:
    return isinstance(facts, dict) and isinstance(facts.get("version"), str)


def pins_of(environment: Mapping[str, Any]) -> tuple[Pin, ...]:
    """Pin every recorded distribution, sorted by name."""
    return tuple(_pin(name, facts) for name, facts in sorted(environment["distributions"].items()))


def constraints_head(record: RunRecord, environment: Mapping[str, Any]) -> str:
    """Return the first line of a file of constraints: whose they are, and by which Python they were in force."""
    python = environment.get("python", {})
    made_by = f"{python.get('implementation')} {python.get('version')}"
    return f"distributions of run {record.name} (identity {record.manifest.identity}), made by {made_by}"


def constraints_text(pins: tuple[Pin, ...], head: str) -> str:
    """Write pins as a file for `pip install -c` and `-r`; what is not pinned is a comment that says why."""
    return "\n".join([f"# {_one_line(head)}", *map(_line, pins), ""])


def _line(pin: Pin) -> str:
    return pin.line or f"# not pinned: {_one_line(pin.name)} {_one_line(pin.version)}: {pin.why}"


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _pin(name: str, facts: Mapping[str, Any]) -> Pin:
    version = str(facts["version"])
    origin = facts.get("origin")
    if not isinstance(origin, dict):
        line = f"{name}=={version}"
        return _checked(Pin(name, version, line), url=None)
    url, why = _direct_url(origin)
    return Pin(name, version, None, why) if url is None else _checked(Pin(name, version, f"{name} @ {url}"), url=url)


def _direct_url(origin: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the URL that pip would install a distribution from again, or why there is none."""
    kind, url = origin.get("kind"), str(origin.get("url"))
    if kind == "editable":
        return None, "an editable install: its source lies in a folder, not in an index"
    if url == LOCAL_PATH:
        return None, f"it was installed from a local {'folder' if kind == 'directory' else 'file or repository'}"
    fragments = []
    if isinstance(origin.get("subdirectory"), str):
        fragments.append(f"subdirectory={origin['subdirectory']}")
    if kind == "vcs":
        if origin.get("vcs") not in VCS or not origin.get("commit"):
            return None, "the commit that it was installed from is not recorded"
        url = f"{origin['vcs']}+{url}@{origin['commit']}"
    else:
        fragments += list(_hash(origin.get("hashes")))[:1]
    return url + (f"#{'&'.join(fragments)}" if fragments else ""), None


def _hash(hashes: object) -> Iterator[str]:
    for name in _HASHES:
        if isinstance(hashes, dict) and isinstance(hashes.get(name), str):
            yield f"{name}={hashes[name]}"


def _checked(pin: Pin, *, url: str | None) -> Pin:
    """Take the line only where it is one requirement that says exactly this: no option, no second line, no marker."""
    from packaging.requirements import InvalidRequirement, Requirement

    line = pin.line or ""
    if not line.isascii() or not line.isprintable() or line != line.strip():
        return Pin(pin.name, pin.version, None, "its recorded name or origin is no plain text")
    try:
        found = Requirement(line)
    except InvalidRequirement:
        return Pin(pin.name, pin.version, None, "its recorded name or version is none that pip could install")
    is_same = found.url == url and normal_name(found.name) == pin.name and not found.extras and found.marker is None
    if not is_same or (url is None and [spec.operator for spec in found.specifier] != ["=="]) or "*" in line:
        return Pin(pin.name, pin.version, None, "its recorded name or version is none that pip could install")
    return pin
