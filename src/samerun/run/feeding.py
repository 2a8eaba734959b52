"""What a run hands to its loop from outside: loaders whose batches the trail notes. Inputs themselves are inputs.py."""

from __future__ import annotations

from typing import Any

from samerun.data.loader import BatchNote, Loader
from samerun.run.inputs import Inputs
from samerun.run.loop import Loop
from samerun.streams.stream import StreamSource


def make_loader(
    dataset: Any, batch_size: int, options: dict[str, Any], *, source: StreamSource, loop: Loop, inputs: Inputs
) -> Loader:
    """Make a loader that tells the loop of each batch; arrays in memory are inputs of the run by their content.

    It draws from a source of its own, whose counts come with each batch: they belong to the step that consumes it,
    whichever process drew them, and however much was read ahead or read again after a resume.
    """

    def note(batch: BatchNote) -> None:
        loop.note_batch(batch.digest, batch.counts)

    inputs.add_dataset(options.get("name", "data"), dataset)
    return Loader(dataset, batch_size, source=StreamSource(source.seed), on_batch=note, **options)
