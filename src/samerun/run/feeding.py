"""What a run hands to its loop from outside: loaders whose batches the trail notes. Inputs themselves are inputs.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from samerun.data.loader import BatchNote, Loader
from samerun.errors import RefusedError
from samerun.run.tracked import Tracked
from samerun.state.digest import digest_tree
from samerun.streams import ambient
from samerun.streams.stream import StreamSource

if TYPE_CHECKING:
    from samerun.run.loop import Loop


def make_loader(
    dataset: Any,
    batch_size: int,
    options: dict[str, Any],
    *,
    source: StreamSource,
    loop: Loop,
    tracked: Tracked,
    record: Callable[..., None],
) -> Loader:
    """Make a loader that tells the loop of each batch; arrays in memory are inputs of the run by their content.

    `record` takes an event: that killed workers were started again.

    It draws from a source of its own, whose counts come with each batch: they belong to the step that consumes it,
    whichever process drew them, and however much was read ahead or read again after a resume.
    """

    is_known = False

    def note(batch: BatchNote) -> None:
        nonlocal is_known
        if not is_known and loop.is_in_body:
            _refuse_unsaved(loader, tracked)
            is_known = True
        loop.note_batch(batch.digest, batch.counts)

    name, users_own = options.get("name", "data"), options.get("on_restart")

    def restarted(reason: str) -> None:
        record("worker_restarted", step=loop.completed, loader=name, reason=reason)
        if users_own is not None:
            users_own(reason)

    loop.inputs.add_dataset(name, dataset)
    options = {**options, "on_restart": restarted}
    loader = Loader(dataset, batch_size, source=StreamSource(source.seed), on_batch=note, **options)
    return loader


def _refuse_unsaved(loader: Loader, tracked: Tracked) -> None:
    """Refuse to train on batches whose position no checkpoint knows: a resume would begin its epoch again.

    The first checkpoint has been written by now, and asked every tracked object, also one that holds the loader.
    """
    if not loader.is_saved:
        raise RefusedError(
            "SR-RUN-022",
            "a step takes its batch from a loader that is not tracked",
            evidence=(f"tracked: {', '.join(tracked.names)}", "its position would be in no checkpoint"),
            do="run.track(batches=...) before the loop",
        )


@dataclass(frozen=True)
class Behind:
    """Batches of this epoch that steps before the restart have consumed: to be fetched again, and passed over."""

    steps: int = 0
    batches: int = 0
    window: int = 1
    """Batches that share a step."""


def noted(batches: Iterable[Any], source: StreamSource, loop: Loop, behind: Behind) -> Iterator[Any]:
    """Iterate over batches outside any step's randomness, and tell the loop of each; a `Loader` does that by itself."""
    if isinstance(batches, Loader):
        with _beside(source, "ambient/restore"):
            return iter(batches)
    return _foreign(batches, source, loop, behind)


def _foreign(batches: Iterable[Any], source: StreamSource, loop: Loop, behind: Behind) -> Iterator[Any]:
    iterator: Iterator[Any] | None = None
    number, first = 0, loop.completed - behind.steps
    while True:
        is_behind = number < behind.batches
        step = first + number // behind.window if is_behind else loop.completed
        with _beside(source, "ambient/loader/{step}", number % behind.window, step=step):
            # Made with the first fetch: a torch DataLoader draws its order in one of the two, depending on its workers.
            iterator = iter(batches) if iterator is None else iterator
            batch = next(iterator, _END)
        number += 1
        if batch is _END:
            return
        if not is_behind:
            loop.note_batch(digest_tree(batch), {})
            yield batch


@contextmanager
def _beside(source: StreamSource, template: str, micro: int = 0, **values: int) -> Iterator[None]:
    stream = source.open(template, **values)
    stream = stream.child("micro", micro) if micro else stream
    source.begin_step()
    with ambient.scope(stream):
        yield


_END: Any = object()
