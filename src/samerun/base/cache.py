"""Where what can be computed again is kept between processes. Nothing here may decide a number of a run."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path | None:
    """Return $XDG_CACHE_HOME/samerun, else ~/.cache/samerun; None without a home. It need not exist."""
    stated = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(stated):
        return Path(stated) / "samerun"
    home = os.path.expanduser("~")
    return Path(home) / ".cache" / "samerun" if os.path.isabs(home) else None
