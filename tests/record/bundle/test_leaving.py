"""The closed list of what may leave a run folder."""

from __future__ import annotations

import pytest

from samerun.record import layout
from samerun.record.bundle.leaving import DOCUMENTS, STAYS, digests_path, is_chunk, may_leave, step_of

HEX = "0" * 64


@pytest.mark.parametrize(
    "path",
    [
        "manifest.json", "recipe.submitted.yaml", "metrics.jsonl", "trail.0001.jsonl", "hooks_done.jsonl",
        "evaluations/test.json", "attempts/0002/metrics.0000.0123456789abcdef.jsonl",
        "checkpoints/step-00000012/model.safetensors", "checkpoints/step-00000012/state.json",
        "checkpoints/weights/step-00000010/checkpoint.json", "checkpoints/digests/step-00000011.json",
        f"checkpoints/chunks/{HEX}.safetensors",
    ],
)  # fmt: skip
def test_what_a_run_writes_may_leave(path: str) -> None:
    assert may_leave(path)


@pytest.mark.parametrize(
    "path",
    [
        "local.json", ".lock", ".lock.owner", "unpacked.json", "unpacked-data/x.csv", "notes.txt", ".env", "evil.py",
        "recipe.submitted.", "recipe.submitted.../x", "other.jsonl", "metrics.jsonl.bak", "evaluations/../x.json",
        "evaluations/.hidden.json", "evaluations/a/b.json", "attempts/0002/x.jsonl", "attempts/metrics.jsonl",
        "attempts/../metrics.0000.0123456789abcdef.jsonl", "checkpoints/step-12/state.json", "checkpoints/x",
        "checkpoints/step-00000012/evil.py", "checkpoints/step-00000012/../x.safetensors",
        "checkpoints/.step-00000012.aside/state.json", "checkpoints/weights/model.safetensors",
        "checkpoints/digests/x.json", "checkpoints/chunks/x.safetensors", "checkpoints/step-00000012/a/b.safetensors",
    ],
)  # fmt: skip
def test_everything_else_stays(path: str) -> None:
    assert not may_leave(path)


def test_every_file_name_of_the_layout_either_leaves_or_stays() -> None:
    named = {
        value
        for name, value in vars(layout).items()
        if name.isupper()
        and isinstance(value, str)
        and value.endswith((".json", ".jsonl", ".patch", ".tar", ".lock", ".owner"))
    }
    assert named == DOCUMENTS | STAYS


def test_the_step_of_a_file_is_that_of_its_checkpoint() -> None:
    assert (
        step_of("checkpoints/step-00000012/state.json") == step_of("checkpoints/weights/step-00000012/state.json") == 12
    )
    assert [step_of(path) for path in (digests_path(12), "manifest.json", "checkpoints/chunks/x")] == [None] * 3
    assert is_chunk(f"checkpoints/chunks/{HEX}.safetensors") and not is_chunk(digests_path(12))
