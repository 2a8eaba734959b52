"""`explain`: what an error code means, or which layer and line set each value of a recipe and where it counts.

Both answer offline. How values are layered is layers.py's work; the texts of the codes stand in `error_codes/`.
"""

from __future__ import annotations

import re
from typing import Final

from samerun.base.text import nearest
from samerun.errors import CodePage, NoMatchError, code_pages

CODE: Final = re.compile(r"sr-[a-z]+-[0-9]{3}", re.IGNORECASE)


def is_code(text: str) -> bool:
    """Say whether `text` is spelled like an error code (in either case)."""
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
