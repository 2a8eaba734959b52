"""The manifest of 10,000 files of 100 KB, against `sha256sum` of the same files; and a second pass over unchanged ones.

Files are written once and read through the page cache on both sides. Both write what they find to a file.

Predicted before tuning: hashing is SHA-256 alone (it holds no lock of the interpreter), so one core keeps up with
sha256sum; of a second pass the floor is the system's `stat`, 10,000 times. Seen (2026-11-30, two cores shared with
others): reading at 4.5 times the speed of sha256sum, which makes many small reads; of 125 ms of a second pass 80 ms
are `stat`. One comparison of the whole listing instead of one a file took 40 ms off; listing in two threads took
nothing off, and is not done."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

from measure import Figure, Pair, human, in_turns

from samerun.data.hashing import YOUNG_SECONDS
from samerun.data.manifest import manifest
from samerun.data.manifest_file import write_manifest

FILES, BYTES, FOLDERS = 10_000, 100_000, 20


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place:
        folder, out = Path(place, "data"), Path(place, "manifest.jsonl")
        os.environ["XDG_CACHE_HOME"] = str(Path(place, "cache"))
        _make(folder)
        time.sleep(YOUNG_SECONDS)  # what was written just now is not kept
        return [_reading(folder, out), *_again(folder, out)]


def _make(folder: Path) -> None:
    for number in range(FILES):
        path = folder / f"{number % FOLDERS:02d}" / f"{number:05d}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(BYTES))


def _sha256sum(folder: Path) -> None:
    command = "find . -type f -print0 | sort -z | xargs -0 sha256sum > ../sums.txt"
    subprocess.run(["bash", "-c", command], cwd=folder, check=True)


def _reading(folder: Path, out: Path) -> Figure:
    pair = in_turns(
        lambda: write_manifest(out, manifest(folder, cache=False)), lambda: _sha256sum(folder), rounds=3, warm_up=1
    )
    return Figure(
        f"manifest of {FILES:,} files of {BYTES // 1000} KB",
        human(pair.ours),
        f"{human(pair.theirs)} (sha256sum)",
        pair.ratio,
        "<= 1.25",
        pair.ratio <= 1.25,
        "reads, hashes and writes every file's digest; one thread a core on our side, one process on theirs",
    )


def _again(folder: Path, out: Path) -> list[Figure]:
    manifest(folder)
    again = lambda: write_manifest(out, manifest(folder))  # noqa: E731
    other = in_turns(again, lambda: _sha256sum(folder), rounds=3, warm_up=1)
    first = in_turns(again, lambda: write_manifest(out, manifest(folder, cache=False)), rounds=5, warm_up=1)
    return [_figure("sha256sum", other), _figure("the first pass, all cores", first)]


def _figure(beside: str, pair: Pair) -> Figure:
    return Figure(
        f"second pass over {FILES:,} unchanged files, against {beside}",
        human(pair.ours),
        f"{human(pair.theirs)} ({beside})",
        pair.ratio,
        "<= 1/20",
        pair.ratio <= 0.05,
        "stat of every file, one comparison with the cache, a few files read all the same, the manifest written",
    )
