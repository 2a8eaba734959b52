"""Runs one piece of work in children that die, or meet an error, at every single operation on a file.

`python faults.py WORK FOLDER` forks once for each operation and prints one JSON line for each: what happened there and
what a reader finds afterwards. No torch here, so that a fork is cheap.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from samerun.base import files
from samerun.checkpoint.chunks import read_chunk, write_chunk
from samerun.checkpoint.read import read_checkpoint
from samerun.checkpoint.retain import RetentionPolicy, retain
from samerun.checkpoint.store import latest, leaf_digests, list_rubble, list_steps, newest_good, sweep_rubble
from samerun.checkpoint.write import write_checkpoint
from samerun.errors import SamerunError
from samerun.state.digest import digest_leaves
from samerun.state.tree import pack

DIED = 9


def state(step: int) -> dict[str, Any]:
    return {"w": np.full(2000, step, np.float64), "n": step}


def save(folder: Path, step: int, *, extra: Any = None, chunks: dict[str, list[str]] | None = None) -> None:
    components = {"model": pack(state(step)), "values": pack({"step": step})}
    write_checkpoint(folder, step, components, identity="id", extra=extra, chunks=chunks)


def nothing(folder: Path) -> None:
    """Begin with no folder content at all."""


def one(folder: Path) -> None:
    save(folder, 10)


def many(folder: Path) -> None:
    names: list[str] = []
    for step in range(5):
        names.append(write_chunk(folder, {"piece": np.full(10, step)}))
        save(folder, step, chunks={"model": names[max(step - 1, 0) :]})


def again(folder: Path) -> None:
    save(folder, 10, extra="other")


def next_one(folder: Path) -> None:
    save(folder, 20)


def thin(folder: Path) -> None:
    retain(folder, RetentionPolicy(keep=1, is_thinning=False), best=2)


def models(folder: Path) -> None:
    for step in range(3):
        module = OrderedDict(state(step))
        module._metadata = OrderedDict({"": {"version": 1}})  # type: ignore[attr-defined]
        write_checkpoint(folder, step, {"model": pack(module), "values": pack(step)}, identity="id")


def thin_to_weights(folder: Path) -> None:
    retain(folder, RetentionPolicy(keep=1, keep_weights=1, is_thinning=False))


def left_behind(folder: Path) -> None:
    for step in (10, 20):
        save(folder, step)
        (folder / f"step-{step:08d}").rename(folder / f".step-{step:08d}.aside")
    save(folder, 20, extra="other")
    (folder / ".step-00000030.1-1.tmp").mkdir()
    (folder / ".step-00000030.1-1.tmp" / "model.safetensors").write_bytes(b"half")


def sweep(folder: Path) -> None:
    sweep_rubble(folder)


def piece(folder: Path) -> None:
    write_chunk(folder, {"piece": np.arange(1000)})


WORKS: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "first": (nothing, one),
    "next": (one, next_one),
    "replace": (one, again),
    "retain": (many, thin),
    "weights": (models, thin_to_weights),
    "sweep": (left_behind, sweep),
    "chunk": (one, piece),
}


def in_child(work: Callable[[Path], None], folder: Path, at: int, fault: str) -> tuple[int, str]:
    """Run the work; the n-th operation dies, or raises the error of this name."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        count = 0

        def hook(operation: str, path: Path) -> None:
            nonlocal count
            count += 1
            if count <= at:
                return
            os.write(write, f"{operation} {path.name}\n".encode())
            if fault == "die":
                os._exit(DIED)
            raise OSError(getattr(errno, fault), os.strerror(getattr(errno, fault)))

        files.on_operation(hook)
        try:
            work(folder)
        except SamerunError as problem:
            os.write(write, problem.code.encode())
            os._exit(int(problem.exit_code))
        except OSError as problem:
            os.write(write, errno.errorcode[problem.errno or 0].encode())
            os._exit(70)
        os._exit(0)
    os.close(write)
    with open(read) as pipe:
        said = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said


def seen(folder: Path) -> dict[str, Any]:
    """What a reader finds: every checkpoint is read whole, every digest and chunk that one names too."""
    steps = list_steps(folder)
    for step in steps:
        whole = read_checkpoint(
            next(p for p in (folder / f"step-{step:08d}", folder / f".step-{step:08d}.aside") if p.exists())
        )
        assert digest_leaves(whole.tree("model")) == digest_leaves(state(step))
        for name in whole.index.components["model"].chunks:
            assert read_chunk(folder, name)
    for step in list_steps(folder / "weights"):
        weights = read_checkpoint(folder / "weights" / f"step-{step:08d}")
        assert list(weights.components) == ["model"] and weights.tree("model")["n"] == step
    for file in sorted((folder / "digests").glob("step-*.json")):
        assert leaf_digests(folder, int(file.stem[5:]))["model"] == digest_leaves(state(int(file.stem[5:])))
    newest, good = latest(folder), newest_good(folder)
    assert (newest and newest.step) == (good and good.step)
    kept = sorted({*steps, *list_steps(folder / "weights")})
    return {"steps": steps, "kept": kept, "latest": newest and newest.step, "extra": newest and newest.index.extra}


def main(name: str, root: Path, fault: str) -> None:
    prepare, work = WORKS[name]
    at, prepared = 0, root / "prepared"
    prepared.mkdir()
    prepare(prepared)
    while True:
        folder = root / f"at-{at}"
        shutil.copytree(prepared, folder)
        code, said = in_child(work, folder, at, fault)
        found = seen(folder)
        rubble = len(list_rubble(folder))
        sweep_rubble(folder)
        work(folder)
        done = seen(folder)
        assert not list_rubble(folder)
        print(json.dumps({"at": at, "code": code, "said": said, "found": found, "rubble": rubble, "done": done}))
        shutil.rmtree(folder)
        if code == 0:
            return
        at += 1


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
