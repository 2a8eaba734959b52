"""A run that is to go on is whole: every document there and as written, every log as long as it was."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from samerun.errors import DamageError
from samerun.record.reader import RunRecord
from samerun.run.whole import check_whole

Train = Callable[..., RunRecord]
DOCUMENTS = ("manifest.json", "identity.json", "config.json", "environment.json", "source.json", "source-files.tar")


def test_a_whole_run_passes(train: Train) -> None:
    check_whole(train(2).folder)


@pytest.mark.parametrize("name", [*DOCUMENTS, "source.patch"])
def test_a_document_that_is_gone_or_another_is_named(train: Train, name: str) -> None:
    folder = train(1).folder
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:-1] + b"#")
    with pytest.raises(DamageError, match=name):
        check_whole(folder)
    (folder / name).unlink()
    with pytest.raises(DamageError, match=name):
        check_whole(folder)


@pytest.mark.parametrize("name", ["metrics.jsonl", "trail.jsonl", "events.jsonl"])
def test_a_log_shorter_than_the_manifest_says_is_named(train: Train, name: str) -> None:
    train(1)
    folder = train(2).folder
    lines = (folder / name).read_bytes().splitlines(keepends=True)
    (folder / name).write_bytes(b"".join(lines[:-1]))
    with pytest.raises(DamageError, match=name):
        check_whole(folder)


def test_a_start_refuses_a_run_whose_events_were_deleted(train: Train) -> None:
    train(1)
    folder = train(2).folder
    (folder / "events.jsonl").unlink()
    with pytest.raises(DamageError, match=r"events\.jsonl"):
        train(3)
