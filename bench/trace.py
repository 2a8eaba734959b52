"""Recording every operation of one step (`samerun trace`), against the same step without recording, in one process."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from measure import Figure, human, in_turns
from one_loop import loss_of, text_gpt

from samerun.record.trace import Trace
from samerun.rerun.tracing.recorder import Recorder
from samerun.run.tracked import Tracked


def figures() -> list[Figure]:
    job = text_gpt()
    torch.manual_seed(7)
    model = job.make_model()
    optim = torch.optim.AdamW(model.parameters(), job.rate)
    tracked = Tracked()
    tracked.add({"model": model, "optimizer": optim})
    x, y = job.items[: job.batch_size], job.targets[: job.batch_size]

    def step() -> None:
        loss = loss_of(model, x, y)
        optim.zero_grad()
        loss.backward()
        optim.step()

    with tempfile.TemporaryDirectory() as place:
        ours, count = _recorded(step, tracked, Path(place) / "trace.json")
        pair = in_turns(ours, step, rounds=9)
    return [
        Figure(
            "one step of `text-gpt`, recorded",
            human(pair.ours),
            f"{human(pair.theirs)} (not recorded)",
            pair.ratio,
            "<= 3",
            pair.ratio <= 3,
            f"{count[0]} operations, all inputs and outputs digested; the states around it and the file included",
        )
    ]


def _recorded(step: Callable[[], None], tracked: Tracked, path: Path) -> tuple[Callable[[], None], list[int]]:
    count = [0]

    def ours() -> None:
        path.unlink(missing_ok=True)
        before = tracked.digests()
        recorder = Recorder(tracked.objects, "/")
        with recorder:
            step()
        count[0] = len(recorder.operations)
        Trace("text-gpt", "0", 0, 0, before, tracked.digests(), {}, recorder.operations).write(path)

    return ours, count
