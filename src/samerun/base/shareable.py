"""What may be recorded and shown to anyone: texts and trees without secrets and without paths of this machine.

Secrets are redact.py's, paths, users and hosts places.py's; whoever records free text asks here.
"""

from __future__ import annotations

from typing import Any

from samerun.base.places import shown_text, shown_tree
from samerun.base.redact import redact, redact_text


def shareable(tree: Any) -> Any:
    """Return a copy of a tree of plain values of which every text may be shown to anyone."""
    return shown_tree(redact(tree)[0])


def shareable_text(text: str) -> str:
    """Return a text that may be shown to anyone."""
    return shown_text(redact_text(text))
