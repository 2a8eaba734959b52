"""Secrets kept out of checkpoints: state is stored to the bit, so a secret in it is refused instead of replaced.

`run.values` takes no text that looks like a secret. Texts in other tracked objects are data (a corpus may be full of
passwords): of these only secrets that this process has read are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from samerun.base.redact import redact
from samerun.base.revealed import knows_any, revealed
from samerun.errors import UsageError


def refuse_secret_value(key: str, value: Any) -> None:
    """Raise UsageError SR-RUN-029 for a value of `run.values` that looks like a secret, by its name or by itself."""
    if isinstance(value, (bool, int, float)) or not isinstance(value, (str, Mapping, list, tuple)):
        return
    hidden = redact({key: value})[1]
    if hidden:
        raise _refusal(f"run.values: {hidden[0]} looks like a secret")


def refuse_read_secrets(trees: Mapping[str, Any]) -> None:
    """Raise UsageError SR-RUN-029 for a state that holds a secret which this process has read from its reference."""
    if not knows_any():
        return
    for path, text in _texts(trees, ""):
        if next(revealed(text), None) is not None:
            raise _refusal(f"{path.lstrip('.')} holds a secret that this run has read")


def _texts(node: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, str):
        yield path, node
    elif isinstance(node, Mapping):
        for key, item in node.items():
            yield from _texts(item, f"{path}.{key}")
    elif isinstance(node, (list, tuple)):
        for at, item in enumerate(node):
            yield from _texts(item, f"{path}[{at}]")


def _refusal(what: str) -> UsageError:
    return UsageError(
        "SR-RUN-029",
        what,
        evidence=("checkpoints hold state to the bit: nothing in them is replaced, and secrets are stored nowhere",),
        do="keep it outside of tracked state, and read it anew where it is needed (samerun.config.schema.Secret)",
    )
