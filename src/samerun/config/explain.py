"""`explain`: what an error code means, or which layer and line set each value of a recipe and where it counts.

Both answer offline. How values are layered is layers.py's work; the texts of the codes stand in `error_codes/`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from samerun.base.text import nearest
from samerun.errors import CodePage, NoMatchError, code_pages

if TYPE_CHECKING:
    from samerun.config.origin import Row

CODE: Final = re.compile(r"sr(-[a-z]+-)?[0-9]{3}", re.IGNORECASE)


def is_code(text: str) -> bool:
    """Say whether `text` is spelled like an error code, or like a finding of `audit` (in either case)."""
    return CODE.fullmatch(text) is not None


def explain_code(text: str) -> CodePage:
    """Return what an error code means. Raises NoMatchError SR-EXPLAIN-001 with the nearest known code."""
    pages = code_pages()
    code = text.upper()
    if code in pages:
        return pages[code]
    close = nearest(code, pages)
    raise NoMatchError(
        "SR-EXPLAIN-001",
        f"there is no error code {code}",
        evidence=[f"nearest: {close}"] if close else [],
        do=f"samerun explain {close}" if close else "copy the code from the error's first line",
    )


def explain(
    subject: str, key: str | None = None, *, settings: Sequence[str] = (), project: Path | None = None
) -> CodePage | tuple[Row, ...]:
    """Explain an error code, or the settings of a recipe: each value, the layer and line that set it, and its standing.

    With `key`, the setting at that path or those below it. Raises NoMatchError for an unknown code or path, and
    ConfigError for a recipe that is wrong.
    """
    if is_code(subject):
        return explain_code(subject)
    from samerun.config.layers import resolve
    from samerun.config.origin import explain as rows

    return rows(resolve(subject, settings, project=project), key)
