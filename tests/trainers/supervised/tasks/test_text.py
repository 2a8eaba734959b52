"""Text as windows of tokens."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from samerun.base.digest import sha256_file
from samerun.errors import ConfigError
from samerun.trainers.supervised.tasks.config import TextTable
from samerun.trainers.supervised.tasks.task import Task
from samerun.trainers.supervised.tasks.text import load

STORY = "".join(f"{number} green bottles hanging on the wall\n" for number in range(60))


def loaded(folder: Path, name: str = "story.txt", **values: Any) -> Task:
    return load(TextTable(path=name, **{"window": 16, **values}), folder)


def windows(task: Task, split: str) -> tuple[torch.Tensor, torch.Tensor]:
    items = task.splits[split]
    assert isinstance(items, tuple)
    return items


def test_targets_are_the_inputs_one_token_later(tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text(STORY)
    inputs, targets = windows(loaded(tmp_path), "train")
    assert torch.equal(inputs[:, 1:], targets[:, :-1])
    assert bytes(inputs[0].tolist()).decode() == STORY[:16]
    assert bytes(targets[0].tolist()).decode() == STORY[1:17]


def test_the_end_of_the_text_is_held_out(tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text(STORY)
    task = loaded(tmp_path, test_fraction=0.25, validation_fraction=0.25)
    first = {name: bytes(windows(task, name)[0][0].tolist()).decode() for name in task.splits}
    size = len(STORY)
    starts = {"train": 0, "validation": round(size * 0.5), "test": round(size * 0.75)}
    assert first == {name: STORY[start : start + 16] for name, start in starts.items()}


def test_a_stride_overlaps_training_windows_only(tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text(STORY)
    whole, half = loaded(tmp_path), loaded(tmp_path, stride=8)
    assert len(windows(half, "train")[0]) >= 2 * len(windows(whole, "train")[0]) - 1
    assert len(windows(half, "test")[0]) == len(windows(whole, "test")[0])


def test_jsonl_documents_follow_each_other_in_order(tmp_path: Path) -> None:
    lines = STORY.splitlines(keepends=True)
    (tmp_path / "story.jsonl").write_text("\n".join(json.dumps({"text": line}) for line in lines) + "\n\n")
    (tmp_path / "story.txt").write_text(STORY)
    first, second = windows(loaded(tmp_path, "story.jsonl"), "train"), windows(loaded(tmp_path), "train")
    assert torch.equal(first[0], second[0])


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        (tmp_path / f"{name}.txt").write_text(f"{name} " * 200)
    text = bytes(windows(load(TextTable(path=".", window=16), tmp_path), "train")[0][0].tolist())
    assert text.startswith(b"a a a")


def test_bytes_stand_for_one_byte_each_whatever_the_script(tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text("κύριε ἐλέησον " * 100)
    task = loaded(tmp_path)
    assert task.shape.num_outputs == 256
    assert bool((task.bytes_per_token == 1).all())


def test_learned_pairs_stand_for_all_bytes_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text(STORY + "κύριε ἐλέησον\n" * 30)
    task = loaded(tmp_path, tokenizer="bpe", vocabulary_size=300, window=8, validation_fraction=0.0)
    assert task.shape.num_outputs == 300
    inputs, _ = windows(task, "train")
    mean_bytes = float(task.bytes_per_token[inputs.long()].float().mean())
    assert mean_bytes > 1.5


def test_learned_pairs_are_the_same_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text(STORY)
    program = (
        "from samerun.trainers.supervised.tasks.config import TextTable\n"
        "from samerun.trainers.supervised.tasks.text import load\n"
        "from pathlib import Path\n"
        "table = TextTable(path='story.txt', tokenizer='bpe', vocabulary_size=300, window=8)\n"
        "print(load(table, Path('.')).splits['train'][0].flatten().tolist())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    inputs, _ = windows(loaded(tmp_path, tokenizer="bpe", vocabulary_size=300, window=8), "train")
    assert done.stdout.strip() == str(inputs.flatten().tolist()), done.stderr


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("a.txt", b"", "SR-TASK-004", "no text"),
        ("a.txt", b"caf\xe9", "SR-TASK-011", "byte 3 is not UTF-8"),
        ("a.txt", b"too short", "SR-TASK-012", "tokens"),
        ("a.jsonl", b'{"text": "x"}\n{"body": "y"}\n', "SR-TASK-011", "line 2: keys ['body']"),
        ("a.jsonl", b'{"text": "x"}\n["y"]\n', "SR-TASK-011", "line 2: no object"),
        ("a.jsonl", b"not json\n", "SR-TASK-011", "line 1"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, name: str, content: bytes, code: str, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=code) as caught:
        loaded(tmp_path, name)
    assert words in str(caught.value)


def test_the_built_in_text_is_english_of_one_book() -> None:
    task = load(TextTable(path="samerun:genesis.txt"), None)
    assert bytes(windows(task, "train")[0][0].tolist()).startswith(b"In the beginning God created")
    assert sha256_file(task.inputs[0]) == "sha256:d074111f15d51380a571e853c5e10aabe08c99df4c1f41687773eaeabbdfa3fd"
