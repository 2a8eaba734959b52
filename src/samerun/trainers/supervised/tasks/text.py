"""Text as windows of tokens, to predict each next token: bytes, or byte pairs learned from the training split.

The last part of the text is the test split, the part before it the validation split: no window crosses a border.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from samerun.errors import ConfigError, MissingError
from samerun.trainers.models.shape import Shape
from samerun.trainers.supervised.tasks.columns import empty
from samerun.trainers.supervised.tasks.config import TextTable
from samerun.trainers.supervised.tasks.task import Task, locate

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Tokens = npt.NDArray[np.int32]

BYTE_VOCABULARY = 256


def load(config: TextTable, project: Path | None) -> Task:
    """Read the text, split it, and cut it into windows: inputs (N, T) and, one token later, targets (N, T).

    Raises ConfigError SR-TASK-001, -004 (empty), -011 (no text in a file), -012 (shorter than a window), MissingError
    SR-TASK-002 without tokenizers.
    """
    path = locate(config.path, project)
    text = "".join(_documents(config, path))
    if not text:
        raise empty(config.path, "no text")
    parts = _split(text, config)
    vocabulary_size, bytes_per_token, tokens = _encode(config, parts)
    _check_lengths(config, tokens)
    return Task(
        shape=Shape(item=(config.window,), num_outputs=vocabulary_size, goal="tokens"),
        splits={
            name: _windows(part, config.window, (config.stride or config.window) if name == "train" else config.window)
            for name, part in tokens.items()
        },
        inputs=(path,),
        bytes_per_token=torch.from_numpy(bytes_per_token),
    )


def _documents(config: TextTable, path: Path) -> list[str]:
    """Read every document, in the order of file names and lines; each ends with a newline."""
    files = sorted(item for item in path.rglob("*") if item.suffix in (".txt", ".jsonl")) if path.is_dir() else [path]
    documents: list[str] = []
    for file in files:
        try:
            content = file.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise _no_text(file, f"byte {error.start} is not UTF-8", "save the file as UTF-8") from error
        if file.suffix == ".jsonl":
            documents += [_field_of(config, file, number, line) for number, line in enumerate(content.split("\n"), 1)]
        else:
            documents.append(content)
    return [document if document.endswith("\n") else document + "\n" for document in documents if document]


def _field_of(config: TextTable, file: Path, number: int, line: str) -> str:
    if not line.strip():
        return ""
    try:
        record = json.loads(line)
    except ValueError as error:
        raise _no_text(file, f"line {number}: {error}", "write one JSON object a line") from error
    text = record.get(config.field) if isinstance(record, dict) else None
    if not isinstance(text, str):
        found = f"line {number}: keys {sorted(record)}" if isinstance(record, dict) else f"line {number}: no object"
        raise _no_text(file, found, f"give each line the key '{config.field}', or name another: -s task.field=...")
    return text


def _no_text(file: Path, found: str, do: str) -> ConfigError:
    return ConfigError("SR-TASK-011", f"task.path: {file.name} holds no text", evidence=[f"found: {found}"], do=do)


def _split(text: str, config: TextTable) -> dict[str, str]:
    test_start = round(len(text) * (1.0 - config.test_fraction))
    validation_start = round(len(text) * (1.0 - config.test_fraction - config.validation_fraction))
    parts = {"train": text[:validation_start], "test": text[test_start:]}
    if config.validation_fraction > 0.0:
        parts["validation"] = text[validation_start:test_start]
    return parts


def _encode(config: TextTable, parts: dict[str, str]) -> tuple[int, npt.NDArray[np.int32], dict[str, Tokens]]:
    """Return the vocabulary size, the bytes that each token stands for, and the tokens of each part."""
    if config.tokenizer == "bytes":
        tokens = {name: np.frombuffer(part.encode("utf-8"), np.uint8).astype(np.int32) for name, part in parts.items()}
        return BYTE_VOCABULARY, np.ones(BYTE_VOCABULARY, np.int32), tokens
    tokenizer = _learn_pairs(parts["train"], config.vocabulary_size)
    size = tokenizer.get_vocab_size()
    # A token of a byte-level vocabulary is written with one character for each of its bytes.
    lengths = np.array([len(tokenizer.id_to_token(number) or "") for number in range(size)], np.int32)
    return size, lengths, {name: np.array(tokenizer.encode(part).ids, np.int32) for name, part in parts.items()}


def _learn_pairs(text: str, vocabulary_size: int) -> Tokenizer:
    try:
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    except ImportError as error:
        raise MissingError(
            "SR-TASK-002",
            "task.tokenizer: bpe needs the package tokenizers",
            evidence=[f"import tokenizers: {error}"],
            do="pip install 'samerun[text]', or -s task.tokenizer=bytes",
        ) from error
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=vocabulary_size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(text.splitlines(keepends=True), trainer)
    return tokenizer


def _windows(tokens: Tokens, window: int, stride: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return views (N, T) of inputs and of targets; the rest of the text that fills no window is left out."""
    sequence = torch.from_numpy(tokens)
    return sequence[:-1].unfold(0, window, stride), sequence[1:].unfold(0, window, stride)


def _check_lengths(config: TextTable, tokens: dict[str, Tokens]) -> None:
    short = {name: len(part) for name, part in tokens.items() if len(part) <= config.window}
    if short:
        raise ConfigError(
            "SR-TASK-012",
            f"task.window: {config.path} is too short for windows of {config.window} tokens",
            evidence=[f"split '{name}': {length} tokens" for name, length in sorted(short.items())],
            do="use more text, a smaller task.window, or -s task.validation_fraction=0",
        )
