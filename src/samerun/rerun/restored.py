"""The code of a run while something is done with it: what is here, else what the run itself brought along.

A run that came from elsewhere has its code in its snapshot, and maybe its data; trusted, both are written into a hidden
folder beside the run, which goes when the work is done. Whether code may run at all is origin.py's to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from samerun.base import files
from samerun.record.reader import RunRecord
from samerun.rerun.origin import Origin, is_from_elsewhere, origin_of
from samerun.rerun.recorded import making_of_run


@contextmanager
def own_code(record: RunRecord, *, trust: bool = False, root: Path | None = None) -> Iterator[Origin]:
    """Find the code of a run, at `root` where that is given; of a trusted run from elsewhere, restore what is not here.

    Raises what `origin_of` does, and CodeIsLost where a run from elsewhere does not hold its code as it was.
    """
    if root is not None or not is_from_elsewhere(record):
        yield origin_of(record, trust=trust, root=root)
        return
    making = making_of_run(record, trust=trust)
    if not making.snapshot and not making.data:
        yield origin_of(record, trust=trust)
        return
    folder = files.hidden_sibling(record.folder.absolute().parent / "code")
    files.make_dir(folder, exclusive=True)
    try:
        yield origin_of(record, trust=trust, root=making.prepared(folder).project)
    finally:
        files.remove(folder)
