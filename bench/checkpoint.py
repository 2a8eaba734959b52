"""A checkpoint of 100 MB, against `safetensors.save_file` and fsync of the same tensors; and how long it blocks."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from measure import Figure, human, in_turns
from safetensors.torch import save_file

from samerun.checkpoint.save import Saver
from samerun.state.restore import state_of
from samerun.state.tree import pack
from state import model_with_state


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
        return _figures(Path(place))


def _figures(folder: Path) -> list[Figure]:
    model, optim = model_with_state(2048, 2048, 2)
    tensors = {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
    for number, slots in optim.state_dict()["state"].items():
        tensors |= {f"optim.{number}.{name}": slot for name, slot in slots.items()}
    steps = itertools.count()

    def save_with(saver: Saver) -> Callable[[], None]:
        def save() -> None:
            parts = {"model": pack(state_of(model)), "optim": pack(state_of(optim))}
            saver.save(next(steps), parts, identity="0123456789abcdef")

        return save

    def theirs() -> None:
        path = folder / f"plain-{next(steps)}.safetensors"
        save_file(tensors, path)
        with path.open("rb+") as file:
            os.fsync(file.fileno())

    whole = in_turns(save_with(Saver(folder / "sync")), theirs, rounds=7, warm_up=1)
    behind = Saver(folder / "async", is_asynchronous=True)
    blocked = _blocked(behind, save_with(behind))
    size = sum(tensor.nbytes for tensor in tensors.values()) / 1e6
    share = blocked / whole.ours
    return [
        Figure(
            f"synchronous checkpoint, {size:.0f} MB",
            human(whole.ours),
            f"{human(whole.theirs)} (save_file + fsync)",
            whole.ratio,
            "<= 1.3",
            whole.ratio <= 1.3,
            "ours also digests every leaf, reads every file back and compares it",
        ),
        Figure(
            "asynchronous checkpoint: how long the loop waits",
            human(blocked),
            f"{human(whole.ours)} (synchronous)",
            share,
            "<= 0.2",
            share <= 0.2,
            "the copy to host memory; the write goes on behind the loop",
        ),
    ]


def _blocked(saver: Saver, save: Callable[[], None]) -> float:
    """Median seconds that an asynchronous save keeps its caller, when none is under way."""
    import statistics

    from measure import seconds

    times = []
    for _ in range(7):
        times.append(seconds(save))
        saver.join()
    return statistics.median(times)
