"""The code of a run while something is done with it: what is here, else what the run itself brought along.

A run that came from elsewhere has its code in its snapshot, and maybe its data; trusted, both are written into a hidden
folder beside the run, which goes when the work is done. Whether code may run at all is origin.py's to say.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from samerun.base import files
from samerun.config.resolved import Config
from samerun.record.reader import RunRecord
from samerun.record.restore import import_paths
from samerun.record.source import ELSEWHERE
from samerun.rerun.origin import Origin, config_of, is_from_elsewhere, origin_of
from samerun.rerun.recorded import code_of_run


@dataclass(frozen=True)
class OwnCode:
    """Where the code of a run lies, and its settings as that code reads them."""

    root: Path
    script: Path | None
    config: Config | None
    """None for a script, which has settings of its own."""


@contextmanager
def own_code(
    record: RunRecord, settings: Sequence[str] = (), *, trust: bool = False, root: Path | None = None
) -> Iterator[OwnCode]:
    """Find the code of a run, at `root` where that is given; of a trusted run from elsewhere, restore what is not here.

    `settings` are aside `-s` values of a recipe. Raises what `origin_of` and `config_of` do, and CodeIsLost where a run
    from elsewhere does not hold its code as it was.
    """
    with _place(record, trust, root) as origin:
        config = config_of(record, settings, origin.root) if origin.script is None else None
        yield OwnCode(origin.root, origin.script, config)


@contextmanager
def _importing(origin: Origin) -> Iterator[None]:
    """Import from where restored code lies: all of it for a script, for a recipe what came from outside its project.

    A recipe that has parts in its project finds those by itself.
    """
    found = import_paths(origin.root)
    added = [str(folder) for folder in found if origin.script is not None or folder.name == ELSEWHERE]
    before = sys.path[:]
    sys.path[:0] = added
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = before


@contextmanager
def _place(record: RunRecord, trust: bool, root: Path | None) -> Iterator[Origin]:
    if root is not None or not is_from_elsewhere(record):
        yield origin_of(record, trust=trust, root=root)
        return
    code = code_of_run(record, trust=trust)
    if not code.snapshot and not code.data:
        yield origin_of(record, trust=trust)
        return
    folder = files.hidden_sibling(record.folder.absolute().parent / "code")
    files.make_dir(folder, exclusive=True)
    try:
        origin = origin_of(record, trust=trust, root=code.prepared(folder).project)
        with _importing(origin):
            yield origin
    finally:
        files.remove(folder)
