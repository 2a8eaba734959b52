"""A run that is to go on is whole: every document there and as written, every log as long as it was."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

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


@pytest.mark.parametrize("status", ["completed", "stopped"])
def test_the_checkpoint_that_a_run_ended_with_has_to_be_there_unless_a_fallback_finds_another(
    train: Train, status: str
) -> None:
    wanted: dict[str, Any] = {} if status == "completed" else {"options": {"stop_after": 3}}
    folder = train(3 if status == "completed" else 9, **wanted).folder
    assert RunRecord.open(folder).manifest.status == status
    before = (folder / "manifest.json").read_bytes()
    shutil.rmtree(folder / "checkpoints" / "step-00000003")
    with pytest.raises(DamageError, match="SR-RECORD-025") as caught:
        train(5)
    assert "--fallback" in str(caught.value.do) and (folder / "manifest.json").read_bytes() == before
    again = train(5, options={"is_fallback": True})
    assert again.manifest.step == 5 and len(list(again.metrics())) == 5


def test_a_run_without_any_checkpoint_is_not_trained_anew_under_its_old_name(train: Train) -> None:
    folder = train(3).folder
    shutil.rmtree(folder / "checkpoints")
    for is_fallback in (False, True):
        with pytest.raises(DamageError, match="SR-RECORD-025"):
            train(5, options={"is_fallback": is_fallback})


def test_a_start_refuses_a_run_whose_events_were_deleted(train: Train) -> None:
    train(1)
    folder = train(2).folder
    (folder / "events.jsonl").unlink()
    with pytest.raises(DamageError, match=r"events\.jsonl"):
        train(3)
