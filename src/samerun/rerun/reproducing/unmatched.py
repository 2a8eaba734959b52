"""What a reproduction could not match: packages, the platform, source, data, secrets, variables, one by one.

Pure: two records or two environments in, a list out. What is done about it is decided in choice.py and training.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from samerun.base.redact import REDACTED
from samerun.base.text import short_digests
from samerun.record.identity import Identity, moved

Kind = Literal["python", "package", "platform", "variable", "samerun", "source", "data", "secret", "setting"]
_OF_PYTHON: Final = ("implementation", "version", "is_free_threaded", "is_debug")
_OF_ANOTHER_PLACE: Final = ("SLURM_JOB_", "RANK", "LOCAL_RANK", "WORLD_SIZE", "LANG", "LC_", "TZ", "PYTHONHASHSEED")
"""Variables that say where a process ran or how it spoke: other ones are to be expected."""


@dataclass(frozen=True)
class Unmatched:
    """One thing that is not as it was: what was recorded, what is here now (None: nothing), and why."""

    kind: Kind
    name: str
    recorded: Any
    here: Any
    why: str

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        return {
            "kind": self.kind,
            "name": self.name,
            "recorded": self.recorded,
            "here": self.here,
            "why": self.why,
        }

    def __str__(self) -> str:
        return short_digests(f"{self.kind} {self.name}: {self.why}")


def environment_differences(recorded: Mapping[str, Any], here: Mapping[str, Any]) -> tuple[Unmatched, ...]:
    """List what of a recorded environment another one does not have: the Python, and every recorded distribution.

    A distribution matches by version and, where both sides know it, by the digest of what was installed; one without
    a digest by where it came from. What is installed beside the recorded ones does not count.
    """
    return (*_python(recorded.get("python", {}), here.get("python", {})), *_packages(recorded, here))


def _python(recorded: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[Unmatched]:
    for name in _OF_PYTHON:
        one, other = recorded.get(name), here.get(name)
        if one is not None and one != other:
            yield Unmatched("python", name, one, other, f"{one} then, {other} here")


def _packages(recorded: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[Unmatched]:
    installed = here["distributions"]
    for name, then in sorted(recorded["distributions"].items()):
        now = installed.get(name)
        if now is None:
            yield Unmatched("package", name, then["version"], None, f"{then['version']} then, not installed here")
        elif then["version"] != now["version"]:
            words = f"{then['version']} then, {now['version']} here"
            yield Unmatched("package", name, then["version"], now["version"], words)
        else:
            yield from _content(name, then, now)


def _content(name: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Unmatched]:
    one, other = then.get("record"), now.get("record")
    if one is not None and other is not None:
        if one != other:
            yield Unmatched("package", name, one, other, f"{then['version']} here too, with other files")
        return
    kinds = _kind_of(then), _kind_of(now)
    if kinds[0] != kinds[1] or then.get("origin") != now.get("origin"):
        words = f"{then['version']} here too, {kinds[0]} then and {kinds[1]} here"
        yield Unmatched("package", name, then.get("origin"), now.get("origin"), words)


def _kind_of(facts: Mapping[str, Any]) -> str:
    origin = facts.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    return {None: "from an index", "vcs": "from a commit", "editable": "an editable install"}.get(
        kind, f"from a {kind}"
    )


def identity_differences(recorded: Identity, made: Identity) -> tuple[Unmatched, ...]:
    """List the facts of the identity that came out other than recorded."""
    return tuple(
        Unmatched(_kind_of_fact(fact.group, fact.path), fact.path, fact.old, fact.new, _words(fact.old, fact.new))
        for fact in moved(recorded, made)
    )


def _kind_of_fact(group: str, path: str) -> Kind:
    if group == "platform":
        return "variable" if path.startswith("variables") else "platform"
    if path.startswith("source.samerun"):
        return "samerun"
    first = path.split(".")[0].split("[")[0]
    kinds: Mapping[str, Kind] = {"source": "source", "inputs": "data"}
    return kinds.get(first, "setting")


def variable_differences(recorded: Mapping[str, str], made: Mapping[str, str]) -> tuple[Unmatched, ...]:
    """List the recorded variables that the reproduction did not have, or had with another value."""
    return tuple(
        Unmatched("variable", name, value, made.get(name), _words(value, made.get(name)))
        for name, value in sorted(recorded.items())
        if made.get(name) != value and not name.startswith(_OF_ANOTHER_PLACE)
    )


def _words(then: Any, now: Any) -> str:
    return f"{_spell(then)} then, {_spell(now)} here"


def lost_arguments(arguments: Sequence[str]) -> tuple[Unmatched, ...]:
    """List the arguments of a script that were stored without a secret that stood in them."""
    return tuple(
        Unmatched("secret", f"argument {number}", argument, None, "a secret in it is not stored")
        for number, argument in enumerate(arguments, 1)
        if REDACTED in argument
    )


def _spell(value: Any) -> str:
    if value is None:
        return "nothing"
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
